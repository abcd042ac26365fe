import {
  type ClientStatus,
  createStore,
  type FileVersions,
  noFileVersions,
  reduceFileVersions,
  type ViewStore,
  type WeaveClient,
} from 'weave-client'
import { createFrames } from './frames.ts'
import { createLayout, type Page } from './layout.ts'
import { press } from './model/press.ts'
import { type Effect, initialUi, type Order, withNotice } from './model/ui.ts'
import { askToEnd, sendOrder } from './orders.ts'
import type { Key } from './terminal/keyboard.ts'
import type { Style } from './terminal/line.ts'
import { type Input, listen } from './terminal/listen.ts'
import { type Output, openScreen, type Screen } from './terminal/screen.ts'
import { createTheme, type ThemeOptions } from './terminal/theme.ts'

export interface FaceOptions extends ThemeOptions {
  /** Freshly made, so that no event is missed. The face closes it. */
  readonly client: WeaveClient
  readonly input: Input
  readonly output: Output
  /** Show costs and tokens from the beginning. */
  readonly costs: boolean
  /** Leaving ends the run; otherwise it only ends the screen. */
  readonly ownsRun: boolean
  readonly now: () => number
}

export interface Face {
  /** Settles when the screen is gone, with the terminal restored. */
  readonly ended: Promise<FaceEnd>
  /** Takes the screen away. */
  readonly leave: () => void
}

export type FaceEnd =
  /** A person left, or `leave` was called. */
  | { readonly kind: 'left' }
  /** The second time that a person wanted to leave: do not wait for anything. */
  | { readonly kind: 'forced' }
  /** The server is gone for good. */
  | { readonly kind: 'lost'; readonly reason: string }

/** Draws at most this often. */
const frameMs = 50
/** Times and countdowns move on. */
const tickMs = 1_000

/** Opens the terminal UI on a terminal. It knows the run only through its client. */
export function openFace(options: FaceOptions): Face {
  const { client, input, output } = options
  const store = createStore({ client, schedule: run => setImmediate(run) })
  const screen = openScreen(output)
  const desk = createDesk(options, { store, screen })
  const stops = [
    client.onAny(desk.follow),
    client.onStatus(desk.followStatus),
    listen(input, desk.type),
    every(tickMs, desk.invalidate),
    () => store.close(),
  ]
  store.subscribe(desk.invalidate)
  screen.onReady(desk.invalidate)
  desk.invalidate()
  const ended = desk.ended.then(end => {
    for (const stop of stops) stop()
    desk.close()
    screen.close()
    client.close()
    return end
  })
  return { ended, leave: () => desk.end({ kind: 'left' }) }
}

interface Parts {
  readonly store: ViewStore
  readonly screen: Screen
}

function createDesk(options: FaceOptions, { store, screen }: Parts) {
  const { client, now, ownsRun } = options
  const theme = createTheme(options)
  const layout = createLayout()
  let ui = initialUi(options)
  let versions: FileVersions = noFileVersions
  let connectionSince = now()
  let end: (end: FaceEnd) => void = () => {}
  const ended = new Promise<FaceEnd>(resolve => {
    end = resolve
  })

  const page = (): Page =>
    layout({
      view: store.getSnapshot(),
      versions,
      ui,
      size: screen.size,
      theme,
      now: now(),
      canSteer: client.mode === 'readandwrite',
      connectionSince,
      reading: readingOf(client),
      ownsRun,
    })
  const frames = createFrames(frameMs, () => void screen.draw(page().rows))
  const say = (text: string, style: Style): void => {
    ui = withNotice(ui, text, { style, now: now() })
    frames.invalidate()
  }
  const send = async (order: Order): Promise<void> => {
    say(`${order.says} …`, 'plain')
    const result = await sendOrder(client, order)
    if (!result.ok) say(`${result.message} (${result.code})`, 'bad')
  }
  const perform = (effect: Effect): void => {
    if (effect.kind === 'send') void send(effect.order)
    else if (effect.kind === 'force') end({ kind: 'forced' })
    else if (effect.kind === 'redraw') screen.forget()
    else if (!ownsRun) end({ kind: 'left' })
    else void askToEnd(client).then(asked => asked || end({ kind: 'left' }))
  }

  return {
    ended,
    end,
    invalidate: frames.invalidate,
    close: frames.close,
    follow(event: Parameters<typeof reduceFileVersions>[1]): void {
      versions = reduceFileVersions(versions, event)
    },
    followStatus(status: ClientStatus): void {
      connectionSince = now()
      if (status.state === 'closed') end({ kind: 'lost', reason: status.reason })
    },
    type(keys: readonly Key[]): void {
      for (const key of keys) {
        const pressed = press(ui, key, page().scene)
        ui = pressed.ui
        for (const effect of pressed.effects) perform(effect)
      }
      frames.now()
    },
  }
}

/** How much of the journal has come in, while much of it is missing. */
function readingOf({ journalSeq = 0, lastSeq }: WeaveClient): number | undefined {
  return journalSeq - lastSeq > 200 ? lastSeq / journalSeq : undefined
}

function every(ms: number, run: () => void): () => void {
  const timer = setInterval(run, ms)
  return () => clearInterval(timer)
}
