import { openSync } from 'node:fs'
import { ReadStream } from 'node:tty'
import { type App, type AppEnd, openApp } from '@weave/tui'
import { type ClientMode, connect } from 'weave-client'
import { WebSocket } from 'ws'
import { type ExitCode, exitCodes } from './exit.ts'

export interface FaceWish {
  readonly url: string
  readonly token?: string | undefined
  readonly mode: ClientMode
  /** Leaving ends the run too. */
  readonly ownsRun: boolean
  readonly costs: boolean
  readonly color: boolean
}

/** How a screen in this process ended; `failed` has the fault that took it away. */
export type ShownEnd =
  | AppEnd
  | { readonly kind: 'signal'; readonly code: ExitCode }
  | { readonly kind: 'failed'; readonly fault: string }

export interface ShownFace {
  readonly ended: Promise<ShownEnd>
  readonly leave: () => void
}

/** Shows the terminal UI on the terminal of this process and sees to it that the terminal is restored, whatever happens. */
export function showFace(wish: FaceWish): ShownFace {
  const own = process.stdin.isTTY ? undefined : new ReadStream(openSync('/dev/tty', 'r'))
  const client = connect(wish.url, {
    mode: wish.mode,
    since: 0,
    socket: WebSocket,
    reconnect: { fromStart: true },
    ...(wish.token !== undefined && { token: wish.token }),
  })
  const face = openApp({
    ...wish,
    client,
    input: own ?? process.stdin,
    output: process.stdout,
    unicode: showsUnicode(process.env),
    now: Date.now,
  })
  const shown = guarded(face)
  // Otherwise the process would wait for keys for ever.
  void shown.ended.then(() => own?.destroy())
  return shown
}

const signals = {
  SIGINT: exitCodes.interrupted,
  SIGTERM: exitCodes.terminated,
  SIGHUP: exitCodes.terminated,
} as const

/** A signal or a fault takes the screen away in good order; only then is said what it was. */
function guarded(face: App): ShownFace {
  let why: ShownEnd | undefined
  const leaveFor = (end: ShownEnd): void => {
    why ??= end
    face.leave()
  }
  const fault = (error: unknown): void =>
    leaveFor({
      kind: 'failed',
      fault: error instanceof Error ? (error.stack ?? error.message) : String(error),
    })
  const onSignal = (signal: NodeJS.Signals): void =>
    leaveFor({ kind: 'signal', code: signals[signal as keyof typeof signals] })
  const names = Object.keys(signals) as (keyof typeof signals)[]
  for (const name of names) process.on(name, onSignal)
  process.on('uncaughtException', fault)
  process.on('unhandledRejection', fault)
  const ended = face.ended.then(end => {
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
