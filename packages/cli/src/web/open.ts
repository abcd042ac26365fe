import { spawn } from 'node:child_process'
import { basename, dirname } from 'node:path'
import { systemClock } from '@weave/runtime'
import { chooseExecution } from '../named-execution.ts'
import type { Arguments } from '../parse-arguments.ts'
import { asCommand, type ExitCode, exitCodes } from '../program.ts'
import { withSmallMalloc } from '../small-malloc.ts'
import type { Terminal } from '../terminal.ts'
import { askForLink } from './links.ts'
import { type HubRecord, runningHub } from './record.ts'
import { show } from './web.ts'

/** `weave open [execution]`: the page of one execution, by the hub that runs or one that is started. */
export async function openCommand(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const found = await chooseExecution(args, terminal, { word: args.positionals[0], prefersRunning: true })
  if (!found.ok) return found.code
  const { dir } = found.layout
  const [base, name] = [dirname(dir), basename(dir)]
  const hub = runningHub() ?? (await startDetached(base))
  if (!hub) {
    terminal.error('The hub did not start. See why: weave web')
    return exitCodes.failed
  }
  if (hub.base !== base) {
    terminal.error(
      `The hub that runs shows ${hub.base}, and this is in ${base}.\nEnd it first: kill ${hub.pid}; then weave open again.`,
    )
    return exitCodes.failed
  }
  try {
    const link = async (printed: boolean): Promise<string> =>
      (await askForLink(hub, { execution: name, printed })).url
    await show(hub.port, link, { args, terminal })
    return exitCodes.done
  } catch (error) {
    terminal.error(error instanceof Error ? error.message : String(error))
    return exitCodes.failed
  }
}

const longestStartMs = 15_000
const lookEveryMs = 50

/** A hub that outlives this command. Undefined: it did not come up in time. */
async function startDetached(base: string): Promise<HubRecord | undefined> {
  const { command, args } = asCommand('web')
  const child = spawn(command, [...args, '--no-open', '--base', base], {
    detached: true,
    env: withSmallMalloc(process.env),
    stdio: 'ignore',
  })
  child.on('error', () => undefined)
  child.unref()
  const deadline = systemClock.monotonic() + longestStartMs
  while (systemClock.monotonic() < deadline && child.exitCode === null) {
    const hub = runningHub()
    if (hub) return hub
    await systemClock.sleep(lookEveryMs)
  }
  return runningHub()
}
