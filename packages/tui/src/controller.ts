import {
  type ClientStatus,
  type FileVersions,
  noFileVersions,
  reduceFileVersions,
  type SendResult,
  type ViewStore,
  type WeaveClient,
} from 'weave-client'
import { createFrames } from './frames.ts'
import { createLayout, type Page } from './layout.ts'
import { pressKey } from './model/keys.ts'
import {
  type EditedPrompt,
  type Effect,
  initialUi,
  type Layer,
  type PromptKey,
  type SteeringCommand,
  settledUi,
  withNotice,
} from './model/ui.ts'
import type { Key } from './terminal/keyboard.ts'
import type { Style } from './terminal/line.ts'
import type { Screen } from './terminal/screen.ts'
import { createTheme, type ThemeOptions } from './terminal/theme.ts'

/** What a screen needs of a client. */
export type ScreenClient = Pick<
  WeaveClient,
  'status' | 'mode' | 'journalSeq' | 'lastSeq' | 'send' | 'onAny' | 'onStatus' | 'close'
>

export interface ControllerOptions extends ThemeOptions {
  /** Freshly made, so that no event is missed; closed in the end. */
  readonly client: ScreenClient
  readonly store: ViewStore
  readonly screen: Screen
  /** Show costs and tokens from the beginning. */
  readonly costs: boolean
  /** Leaving ends the run; otherwise it only ends the screen. */
  readonly ownsRun: boolean
  /** Nothing runs and nothing will: the clocks stand where the last event left them. */
  readonly atRest?: boolean | undefined
  /** Lets a person change files with an editor of theirs, which has the terminal meanwhile. */
  readonly edit: (prompt: EditedPrompt) => Promise<Edited>
  /** What was sent to a codon, harmless to show; undefined where it was not kept. Must not reject. */
  readonly promptOf?: ((of: PromptKey) => Promise<string | undefined>) | undefined
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

/** With these what was asked for has come about, so that its notice may go. */
const settling: ReadonlySet<string> = new Set([
  'codon.started',
  'codon.completed',
  'run.started',
  'rollback.completed',
  'gate.decided',
])

/** Draws at most this often. */
const frameMs = 50

/** Keeps what a person sees and chooses, draws it, and does what keys ask for. */
export function createController(options: ControllerOptions) {
  const { client, ownsRun, store, screen, atRest = false } = options
  const theme = createTheme(options)
  const layout = createLayout()
  let ui = initialUi(options)
  let versions: FileVersions = noFileVersions
  let lastEvent = 0
  const now = (): number => (atRest ? lastEvent : options.now())
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
      atRest,
    })
  const frames = createFrames(frameMs, () => void screen.draw(page().rows))
  const say: Say = (text, how = {}) => {
    ui = withNotice(ui, text, { ...how, now: now() })
    frames.invalidate()
  }
  const show = (layer: Layer): void => {
    ui = { ...ui, layer, places: { ...ui.places, layer: 'start' } }
    frames.invalidate()
  }
  const perform = createPerformer(options, { say, show, end: how => end(how) })

  return {
    ended,
    end,
    invalidate: frames.invalidate,
    close: frames.close,
    follow(event: Parameters<typeof reduceFileVersions>[1]): void {
      versions = reduceFileVersions(versions, event)
      if (event.seq !== undefined) lastEvent = Date.parse(event.timestamp)
      if (settling.has(event.type)) ui = settledUi(ui)
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

type Say = (text: string, how?: { readonly style?: Style; readonly isPending?: boolean }) => void

interface Performing {
  readonly say: Say
  readonly show: (layer: Layer) => void
  readonly end: (end: AppEnd) => void
}

/** Does what a press asks for. */
function createPerformer(
  { client, ownsRun, screen, edit, promptOf }: ControllerOptions,
  { say, show, end }: Performing,
): (effect: Effect) => void {
  const send = async (command: SteeringCommand): Promise<void> => {
    say(`${command.says} …`, { isPending: true })
    const result = await sendCommand(client, command)
    if (!result.ok) say(`${result.message} (${result.code})`, { style: 'bad' })
  }
  const mend = async (prompt: EditedPrompt): Promise<void> => {
    const edited = await edit(prompt)
    if (!edited.ok) say(edited.message, { style: 'bad' })
    else if (edited.changed) await send(redoOf(prompt.codonId))
    else say('The prompt is as it was; r does the codon again.')
  }
  const showPrompt = async (of: PromptKey): Promise<void> => {
    const text = await promptOf?.(of)
    if (text === undefined) say(`What was sent to ${of.codonId} is not kept here.`, { style: 'warn' })
    else show({ kind: 'text', title: `The prompt of ${of.codonId}, as it was sent`, text })
  }
  return effect => {
    if (effect.kind === 'send') void send(effect.command)
    else if (effect.kind === 'edit') void mend(effect.prompt)
    else if (effect.kind === 'prompt') void showPrompt(effect.of)
    else if (effect.kind === 'adopt') end({ kind: 'adopt' })
    else if (effect.kind === 'force') end({ kind: 'forced' })
    else if (effect.kind === 'redraw') screen.forget()
    else if (!ownsRun) end({ kind: 'left' })
    else void askToEnd(client).then(asked => asked || end({ kind: 'left' }))
  }
}

function redoOf(codonId: string): SteeringCommand {
  return { type: 'codon.redo', data: {}, says: `doing ${codonId} again` }
}

/** How much of the journal has come in, while much of it is missing. */
function readingOf({ journalSeq = 0, lastSeq }: ScreenClient): number | undefined {
  return journalSeq - lastSeq > 200 ? lastSeq / journalSeq : undefined
}

/** Why a run ends whose screen was left. */
export const leftReason = 'left at the terminal'

/** Asks the server to end. False: it could not be asked. */
async function askToEnd(client: ScreenClient): Promise<boolean> {
  const result = await client.send('server.shutdown', { reason: leftReason })
  return result.ok
}

/** One call for each type: only so the compiler can follow which data belongs to which. */
function sendCommand(client: ScreenClient, command: SteeringCommand): Promise<SendResult> {
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
    case 'gate.decide':
      return client.send(command.type, command.data)
  }
}
