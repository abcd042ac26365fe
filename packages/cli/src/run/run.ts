import { type ExitCode, exitCodes } from '../exit.ts'
import { isFirstLook, welcomeLines } from '../init/welcome.ts'
import type { Arguments } from '../parse-arguments.ts'
import { prepareRun } from '../prepare-run.ts'
import type { Terminal } from '../terminal.ts'
import { execute, type RunContext } from './execute.ts'
import { recordingArguments } from './recording-arguments.ts'

/** `weave [hank] [data]`: checks with `--validate`; otherwise runs without a screen, one line for each thing that happens. */
export async function runCommand(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  if (args.switches.has('validate'))
    return (await import('../validate/validate.ts')).validateCommand(args, terminal)
  if (await isFirstLook(args, process.cwd())) {
    for (const line of welcomeLines) terminal.error(line)
    return exitCodes.failed
  }
  return runHank({ args, terminal, environment: process.env })
}

/** From the words on the command line to the end of the run. */
export async function runHank(given: RunContext): Promise<ExitCode> {
  const context = { ...given, args: recordingArguments(given.args) }
  const { args, terminal, environment, rehearsal } = context
  const run = await prepareRun(args, { environment, redirect: rehearsal?.environment })
  if (!run.ok) {
    terminal.error(run.usage)
    return exitCodes.usage
  }
  return execute(context, run)
}
