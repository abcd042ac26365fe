/**
 * The machine: what runs next, and the running of it.
 *
 * Owns the order of things and is the only writer of state. Does not know sockets, terminals or files of the workspace:
 * the rooms for those are handed in.
 */
export { createRecorder, type Recorder } from './record.ts'
export { type RunEnd, run } from './run.ts'
