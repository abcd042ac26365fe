import { attachScreen } from '../attach.ts'
import { chooseExecution } from '../named-execution.ts'
import type { Arguments } from '../parse-arguments.ts'
import { type ExitCode, exitCodes } from '../program.ts'
import { wantsColor, wantsTerminalUi } from '../run/run-display.ts'
import { runningServer } from '../steer/running-server.ts'
import type { Terminal } from '../terminal.ts'

/** `weave show [execution]`: an execution that has ended or was stopped, on the screen of a run. Changes nothing. */
export async function showCommand(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const { switches, positionals } = args
  if (!wantsTerminalUi(switches)) {
    terminal.error('weave show needs a terminal. Without one: weave journal, weave report.')
    return exitCodes.usage
  }
  const found = await chooseExecution(args, terminal, { word: positionals[0] })
  if (!found.ok) return found.code
  const color = wantsColor(switches)
  const { url, token } = (await runningServer(found.layout, args)) ?? {}
  if (url !== undefined) return attachScreen({ url, token, mode: 'readonly', color }, terminal)
  const { journalClient } = await import('./journal-client.ts')
  return attachScreen({ client: journalClient(found), color }, terminal)
}
