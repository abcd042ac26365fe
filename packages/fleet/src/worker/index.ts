/** Takes turns of what was submitted, as many at once as it has slots. */

export type { PausedBatch } from './notices.ts'
export { startWorker, type Worker, type WorkerOptions } from './worker.ts'
