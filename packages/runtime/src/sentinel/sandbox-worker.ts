import { parentPort } from 'node:worker_threads'
import { messageOf } from '../kit/index.ts'
import { jobStarted, type SandboxAnswer, type TimedJob } from './sandbox-job.ts'

/**
 * The isolated thread: does one job after the other until it is ended. Call it as the entry of a worker thread. What runs
 * templates and what compares with schemas is loaded when the first job needs it.
 */
export function runSandboxWorker(): void {
  const port = parentPort
  if (!port) throw new Error('runSandboxWorker is for the entry of a worker thread')
  port.on('message', (job: TimedJob) => {
    void answerTo(job, () => port.postMessage(jobStarted)).then(answer => port.postMessage(answer))
  })
}

async function answerTo({ job, milliseconds }: TimedJob, start: () => void): Promise<SandboxAnswer> {
  try {
    if (job.kind === 'render') {
      const { loadEngine, runTemplate } = await import('./run-template.ts')
      const engine = await loadEngine()
      start()
      return runTemplate(engine, job, milliseconds)
    }
    const { fitsSchema, loadSchemas } = await import('./fits-schema.ts')
    const schemas = await loadSchemas()
    start()
    return fitsSchema(schemas, job)
  } catch (error) {
    const message = messageOf(error)
    return { ok: false, kind: 'limit', message, isBroken: true }
  }
}
