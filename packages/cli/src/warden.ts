import { runWarden } from '@weave/runtime'
import type { Arguments } from './parse-arguments.ts'
import { type ExitCode, exitCodes } from './program.ts'

/** Not for people: the process that ends what a server which was killed left behind. */
export async function wardenCommand({ positionals }: Arguments): Promise<ExitCode> {
  await runWarden(positionals)
  return exitCodes.done
}
