import { runTracesThread } from '@weave/runtime'
import { type ExitCode, exitCodes } from './program.ts'

/** Not for people: the thread that makes spans of a run and sends them. */
export function tracesThreadCommand(): Promise<ExitCode> {
  runTracesThread()
  return Promise.resolve(exitCodes.done)
}
