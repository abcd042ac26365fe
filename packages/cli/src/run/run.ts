import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Arguments } from '../parse-arguments.ts'
import { prepareRun } from '../prepare-run.ts'
import { type ExitCode, exitCodes } from '../program.ts'
import type { Terminal } from '../terminal.ts'
import { execute, type RunContext } from './execute.ts'

/** `weave [hank] [data]`: checks with `--validate`, otherwise runs; alone in a folder without a hank it says how to begin. */
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
  const clash = adoptClash(args)
  if (clash !== undefined) {
    terminal.error(clash)
    return exitCodes.usage
  }
  const run = await prepareRun(args, { environment, redirect: rehearsal?.environment })
  if (!run.ok) {
    terminal.error(run.usage)
    return exitCodes.usage
  }
  return execute(context, run)
}

function adoptClash({ switches }: Arguments): string | undefined {
  if (switches.has('adopt') && switches.has('start-new'))
    return '--adopt and --start-new exclude each other: a new execution begins with the hank as it is.'
  if (switches.has('dry-run') && !switches.has('adopt'))
    return '--dry-run says what --adopt would change: use both, or "weave validate" to check a hank.'
  return undefined
}

/** Whether somebody wrote nothing but `weave`, where there is no hank: they want to know what this is. */
async function isFirstLook(
  { positionals, switches, texts }: Arguments,
  workingDirectory: string,
): Promise<boolean> {
  if (positionals.length > 0 || switches.size > 0 || Object.keys(texts).length > 0) return false
  return stat(join(workingDirectory, 'hank.json')).then(
    () => false,
    () => true,
  )
}

const welcomeLines: readonly string[] = [
  'weave runs a hank: a workflow in a file, which agents work through item by item.',
  'All they do is on record, every version of their files is kept, and a run that',
  'was cut off goes on where it was.',
  '',
  'hank.json does not exist here. To begin:',
  '',
  '  weave init       write a small hank here that explains itself',
  '  weave rehearse   run it without a key: a script answers instead of a model',
  '  weave validate   check everything that a real run needs',
  '  weave            run it',
  '',
  'A hank that lies elsewhere:    weave <directory>',
  'What this machine is missing:  weave doctor',
  'All there is:                  weave --help',
]

/**
 * What recording and replaying mean for the rest of the command line: both begin at the beginning, unless an execution is
 * named; and a replay asks no provider whether key and model are good.
 */
function recordingArguments(args: Arguments): Arguments {
  const { texts, switches } = args
  const { record, replay, execution } = texts
  if (record === undefined && replay === undefined) return args
  return {
    ...args,
    switches: new Set([
      ...switches,
      ...(execution === undefined ? (['start-new'] as const) : []),
      ...(replay === undefined ? [] : (['skip-self-test'] as const)),
    ]),
  }
}
