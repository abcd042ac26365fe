import {
  type ClientStatus,
  type FileVersions,
  noFileVersions,
  reduceFileVersions,
  type SendResult,
  type ViewStore,
  type WeaveClient,
} from 'weave-client'
import { createLayout, type Page } from './layout.ts'
import { pressKey } from './model/keys.ts'
import { type EditedPrompt, type Effect, initialUi, type SteeringCommand, withNotice } from './model/ui.ts'
import type { Key } from './terminal/keyboard.ts'
import type { Style } from './terminal/line.ts'
import type { Screen } from './terminal/screen.ts'
import { createTheme, type ThemeOptions } from './terminal/theme.ts'

export interface ControllerOptions extends ThemeOptions {
  /** Freshly made, so that no event is missed; closed in the end. */
  readonly client: WeaveClient
  readonly store: ViewStore
  readonly screen: Screen
  /** Show costs and tokens from the beginning. */
  readonly costs: boolean
  /** Leaving ends the run; otherwise it only ends the screen. */
  readonly ownsRun: boolean
  /** Lets a person change files with an editor of theirs, which has the terminal meanwhile. */
  readonly edit: (prompt: EditedPrompt) => Promise<Edited>
  readonly now: () => number
}

/** What became of files that an editor was opened for. */
export type Edited =
  | { readonly ok: true; readonly changed: boolean }
  | { readonly ok: false; readonly message: string }

export type AppEnd =
  /** A person left, or `leave` was called. */
  | { readonly kind: 'left' }
  /** A person wants the edited hank to take over. */
  | { readonly kind: 'adopt' }
  /** The second time that a person wanted to leave: do not wait for anything. */
  | { readonly kind: 'forced' }
  /** The server is gone for good. */
  | { readonly kind: 'lost'; readonly reason: string }

/** Draws at most this often. */
const frameMs = 50

/** Keeps what a person sees and chooses, draws it, and does what keys ask for. */
export function createController(options: ControllerOptions) {
  const { client, now, ownsRun, store, screen } = options
  const theme = createTheme(options)
  const layout = createLayout()
  let ui = initialUi(options)
  let versions: FileVersions = noFileVersions
  let connectionSince = now()
  let end: (end: AppEnd) => void = () => {}
  const ended = new Promise<AppEnd>(resolve => {
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
  const send = async (command: SteeringCommand): Promise<void> => {
    say(`${command.says} …`, 'plain')
    const result = await sendCommand(client, command)
    if (!result.ok) say(`${result.message} (${result.code})`, 'bad')
  }
  const edit = async (prompt: EditedPrompt): Promise<void> => {
    const edited = await options.edit(prompt)
    if (!edited.ok) say(edited.message, 'bad')
    else if (edited.changed) await send(redoOf(prompt.codonId))
    else say('The prompt is as it was; r does the codon again.', 'plain')
  }
  const perform = (effect: Effect): void => {
    if (effect.kind === 'send') void send(effect.command)
    else if (effect.kind === 'edit') void edit(effect.prompt)
    else if (effect.kind === 'adopt') end({ kind: 'adopt' })
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
        const pressed = pressKey(ui, key, page().scene)
        ui = pressed.ui
        for (const effect of pressed.effects) perform(effect)
      }
      frames.now()
    },
  }
}

function redoOf(codonId: string): SteeringCommand {
  return { type: 'codon.redo', data: {}, says: `doing ${codonId} again` }
}

/** How much of the journal has come in, while much of it is missing. */
function readingOf({ journalSeq = 0, lastSeq }: WeaveClient): number | undefined {
  return journalSeq - lastSeq > 200 ? lastSeq / journalSeq : undefined
}

/** Asks the server to end. False: it could not be asked. */
async function askToEnd(client: WeaveClient): Promise<boolean> {
  const result = await client.send('server.shutdown', { reason: 'left at the terminal' })
  return result.ok
}

/** One call for each type: only so the compiler can follow which data belongs to which. */
function sendCommand(client: WeaveClient, command: SteeringCommand): Promise<SendResult> {
  switch (command.type) {
    case 'codon.next':
      return client.send(command.type, command.data)
    case 'codon.skip':
      return client.send(command.type, command.data)
    case 'codon.redo':
      return client.send(command.type, command.data)
    case 'codon.forceStop':
      return client.send(command.type, command.data)
    case 'rollback.toCheckpoint':
      return client.send(command.type, command.data)
  }
}

/** Draws when something changed, at most once in a while, and at once when a person waits for it. */
interface Frames {
  readonly invalidate: () => void
  readonly now: () => void
  readonly close: () => void
}

function createFrames(everyMs: number, draw: () => void): Frames {
  let timer: NodeJS.Timeout | undefined
  let last = Number.NEGATIVE_INFINITY
  let isClosed = false
  const now = (): void => {
    clearTimeout(timer)
    timer = undefined
    draw()
    // Taken after drawing: pages that take long leave as much time to everything else.
    last = performance.now()
  }
  return {
    now,
    invalidate() {
      if (!isClosed) timer ??= setTimeout(now, Math.max(0, last + everyMs - performance.now()))
    },
    close() {
      isClosed = true
      clearTimeout(timer)
    },
  }
}
