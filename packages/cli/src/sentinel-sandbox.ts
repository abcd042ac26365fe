import { runSandboxWorker } from '@weave/runtime'
import { type ExitCode, exitCodes } from './program.ts'

/** Not for people: the thread in which templates of sentinels are computed. */
export function sentinelSandboxCommand(): Promise<ExitCode> {
  runSandboxWorker()
  return Promise.resolve(exitCodes.done)
}
