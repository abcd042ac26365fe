import type { ScreenClient } from '@weave/tui'
import { connect, type ServerEvent } from 'weave-client'
import { WebSocket } from 'ws'
import { paintEvent } from './colour.ts'
import { chooseExecution } from './named-execution.ts'
import type { Arguments } from './parse-arguments.ts'
import { type ExitCode, exitCodes } from './program.ts'
import { isForPeople, lineOf, wantsColor, wantsTerminalUi } from './run/run-display.ts'
import { runningServer } from './steer/running-server.ts'
import type { Terminal } from './terminal.ts'
import type { TerminalUiOptions } from './terminal-ui.ts'

/** `weave attach [execution]`: watches a server that runs, on a screen or as one line for each thing. Leaving ends nothing. */
export async function attachCommand(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const { switches, positionals } = args
  const found = await chooseExecution(args, terminal, { word: positionals[0], prefersRunning: true })
  if (!found.ok) return found.code
  const { url, token } = (await runningServer(found.layout, args)) ?? {}
  if (url === undefined) {
    terminal.error(`No server is at work in ${found.layout.dir}. "weave journal" shows what happened there.`)
    return exitCodes.failed
  }
  const hasScreen = wantsTerminalUi(switches)
  if (!hasScreen && switches.has('steer')) {
    terminal.error('--steer needs a screen. Without one: weave next, weave skip, weave redo, weave stop.')
    return exitCodes.usage
  }
  if (!hasScreen) return watch(url, args, { terminal, token })
  const mode = switches.has('steer') ? 'readandwrite' : 'readonly'
  return attachScreen({ url, token, mode, color: wantsColor(switches) }, terminal)
}

export type AttachedScreen =
  | Pick<TerminalUiOptions, 'url' | 'token' | 'mode' | 'color'>
  | { readonly client: ScreenClient; readonly color: boolean }

/** The terminal UI on a server, or on what plays its part for an execution at rest; leaving it never ends the run. */
export async function attachScreen(screen: AttachedScreen, terminal: Terminal): Promise<ExitCode> {
  const { showScreen, showTerminalUi } = await import('./terminal-ui.ts')
  const costs = /^(1|true)$/i.test(process.env['WEAVE_RUNTIME_SHOW_COSTS'] ?? '')
  const rest = { costs, ownsRun: false }
  const shown =
    'client' in screen
      ? showScreen(screen.client, { color: screen.color, ...rest, atRest: true })
      : showTerminalUi({ ...screen, ...rest })
  const end = await shown.ended
  if (end.kind === 'lost') terminal.error(`The server ended the connection: ${end.reason}`)
  if (end.kind === 'failed') terminal.error(end.fault)
  if (end.kind === 'signal') return end.code
  return end.kind === 'failed' ? exitCodes.failed : exitCodes.done
}

interface Watching {
  readonly terminal: Terminal
  readonly token: string | undefined
}

function watch(url: string, { switches }: Arguments, { terminal, token }: Watching): Promise<ExitCode> {
  const client = connect(url, {
    mode: 'readonly',
    sendPreviousEvents: true,
    socket: WebSocket,
    reconnect: false,
    ...(token !== undefined && { token }),
  })
  const show = (event: ServerEvent): void => {
    if (!('seq' in event)) return
    if (switches.has('json')) terminal.json(JSON.stringify(event))
    else if (isForPeople(event.type)) terminal.out(lineOf(event), paintEvent(event))
  }
  client.onAny(show)
  return new Promise(resolve => {
    let isLeft = false
    const leave = (): void => {
      isLeft = true
      client.close()
      terminal.error('Left; the run goes on.')
      resolve(exitCodes.done)
    }
    process.once('SIGINT', leave)
    process.once('SIGTERM', leave)
    client.onStatus(status => {
      if (status.state !== 'closed' || isLeft) return
      terminal.error(`The server ended the connection: ${status.reason || status.code}`)
      resolve(exitCodes.done)
    })
  })
}
