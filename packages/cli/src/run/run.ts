import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Arguments } from '../parse-arguments.ts'
import { type ExitCode, exitCodes } from '../program.ts'
import type { Terminal } from '../terminal.ts'

/** `weave [hank] [data]`: runs; alone in a folder without a hank it says how to begin. */
export async function runCommand(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  if (await isFirstLook(args, process.cwd())) {
    for (const line of welcomeLines) terminal.error(line)
    return exitCodes.failed
  }
  const { namedRun } = await import('./named-run.ts')
  const named = await namedRun(args)
  if (!named.ok) {
    terminal.error(named.message)
    return exitCodes.failed
  }
  if (named.isRehearsal) return (await import('./rehearse.ts')).rehearseCommand(named.args, terminal)
  const { runHank } = await import('./run-hank.ts')
  return runHank({ args: named.args, terminal, environment: process.env })
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
