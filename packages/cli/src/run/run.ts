import { type ExitCode, exitCodes } from '../exit.ts'
import type { Arguments } from '../parse-arguments.ts'
import { prepareRun } from '../prepare-run.ts'
import type { Terminal } from '../terminal.ts'
import { execute, type RunContext } from './execute.ts'

/** `weave [hank] [data]`: checks with `--validate`; otherwise runs without a screen, one line for each thing that happens. */
export async function runCommand(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  if (args.switches.has('validate'))
    return (await import('../validate/validate.ts')).validateCommand(args, terminal)
  return runHank({ args, terminal, environment: process.env })
}

/** From the words on the command line to the end of the run. */
export async function runHank(context: RunContext): Promise<ExitCode> {
  const { args, terminal, environment } = context
  const run = await prepareRun(args, environment)
  if (!run.ok) {
    terminal.error(run.usage)
    return exitCodes.usage
  }
  return execute(context, run)
}
