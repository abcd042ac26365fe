import { openSync } from 'node:fs'
import { ReadStream } from 'node:tty'
import { type App, type AppEnd, type AppOptions, openApp, type ScreenClient } from '@weave/tui'
import { type ClientMode, connect } from 'weave-client'
import { WebSocket } from 'ws'
import { editFiles } from './edit-files.ts'
import type { Arguments } from './parse-arguments.ts'
import { type ExitCode, exitCodes, signalCodes } from './program.ts'
import type { Terminal } from './terminal.ts'

export interface TerminalUiOptions {
  readonly url: string
  readonly token?: string | undefined
  readonly mode: ClientMode
  /** Leaving ends the run too. */
  readonly ownsRun: boolean
  readonly costs: boolean
  readonly color: boolean
}

/** How a screen in this process ended; `failed` has the fault that took it away. */
export type UiEnd =
  | AppEnd
  | { readonly kind: 'signal'; readonly code: ExitCode }
  | { readonly kind: 'failed'; readonly fault: string }

export interface ShownUi {
  readonly ended: Promise<UiEnd>
  readonly leave: () => void
}

/** The terminal UI of a server. */
export function showTerminalUi(options: TerminalUiOptions): ShownUi {
  const client = connect(options.url, {
    mode: options.mode,
    since: 0,
    socket: WebSocket,
    reconnect: { fromStart: true },
    extensions: ['weave', 'weave-terminal'],
    ...(options.token !== undefined && { token: options.token }),
  })
  return showScreen(client, options)
}

export type ScreenOptions = Pick<TerminalUiOptions, 'ownsRun' | 'costs' | 'color'> &
  Pick<AppOptions, 'atRest'>

/** Shows it on the terminal of this process and sees to it that the terminal is restored, whatever happens. */
export function showScreen(client: ScreenClient, options: ScreenOptions): ShownUi {
  const keys = process.stdin.isTTY ? 0 : openSync('/dev/tty', 'r')
  const own = keys === 0 ? undefined : new ReadStream(keys)
  const app = openApp({
    ...options,
    client,
    input: own ?? process.stdin,
    output: process.stdout,
    unicode: showsUnicode(process.env),
    edit: prompt => editFiles(prompt, keys),
    promptOf: async of => (await import('./sent-prompt.ts')).sentPrompt(of),
    now: Date.now,
  })
  const shown = guarded(app)
  // Otherwise the process would wait for keys for ever.
  void shown.ended.then(() => own?.destroy())
  return shown
}

/** A signal or a fault takes the screen away in good order; only then is said what it was. */
function guarded(app: App): ShownUi {
  let why: UiEnd | undefined
  const leaveFor = (end: UiEnd): void => {
    why ??= end
    app.leave()
  }
  const fault = (error: unknown): void =>
    leaveFor({
      kind: 'failed',
      fault: error instanceof Error ? (error.stack ?? error.message) : String(error),
    })
  const onSignal = (signal: NodeJS.Signals): void =>
    leaveFor({ kind: 'signal', code: signalCodes[signal as keyof typeof signalCodes] })
  const names = Object.keys(signalCodes) as (keyof typeof signalCodes)[]
  for (const name of names) process.on(name, onSignal)
  process.on('uncaughtException', fault)
  process.on('unhandledRejection', fault)
  const ended = app.ended.then(end => {
    for (const name of names) process.off(name, onSignal)
    process.off('uncaughtException', fault)
    process.off('unhandledRejection', fault)
    return why ?? end
  })
  return { ended, leave: () => leaveFor({ kind: 'left' }) }
}

/** A locale that says what it is and is not UTF-8, and the text console, have little more than ASCII. */
function showsUnicode(environment: NodeJS.ProcessEnv): boolean {
  const locale = environment['LC_ALL'] || environment['LC_CTYPE'] || environment['LANG'] || ''
  return environment['TERM'] !== 'linux' && (locale === '' || /utf-?8/i.test(locale))
}

/**
 * Not for people: the process that shows the terminal UI of a run, so that a screen that hangs never slows the run. The
 * server's process says over the channel between them what to show; when that is gone, so is the screen.
 */
export async function terminalUiCommand(_args: Arguments, terminal: Terminal): Promise<ExitCode> {
  if (!process.send) {
    terminal.error('This command is started by weave itself. "weave attach" shows a run that is going on.')
    return exitCodes.usage
  }
  const options = await firstMessage()
  if (!options) return exitCodes.failed
  const ui = showTerminalUi(options)
  process.on('message', heard => {
    const bytes = ringIn(heard)
    if (bytes === undefined) ui.leave()
    else process.stdout.write(bytes)
  })
  process.on('disconnect', ui.leave)
  const end = await ui.ended
  if (process.connected) {
    if (end.kind !== 'failed' && end.kind !== 'signal') process.send(end.kind)
    process.disconnect()
  }
  if (end.kind === 'failed') terminal.error(end.fault)
  if (end.kind === 'signal') return end.code
  return end.kind === 'failed' ? exitCodes.failed : exitCodes.done
}

/** Sent by `openRunScreen`: what its terminal is to hear beside the screen. */
function ringIn(heard: unknown): string | undefined {
  if (typeof heard !== 'object' || heard === null || !('ring' in heard)) return undefined
  return typeof heard.ring === 'string' ? heard.ring : undefined
}

/** Sent by `openRunScreen`. Undefined: the server was gone before it could say anything. */
function firstMessage(): Promise<TerminalUiOptions | undefined> {
  return new Promise(resolve => {
    process.once('message', message => resolve(message as TerminalUiOptions))
    process.once('disconnect', () => resolve(undefined))
  })
}
