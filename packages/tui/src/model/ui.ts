import type { Checkpoint, CommandInput, StreamEntry, View } from 'weave-client'
import type { Style } from '../terminal/line.ts'
import type { Rows } from './rows.ts'
import type { Place } from './scroll.ts'
import { noFilter, type StreamFilter } from './stream-filter.ts'

/** TABLE of the panels, in the order of their numbers. */
export const panels = {
  stream: { title: 'Stream', about: 'what happens, as it happens' },
  plan: { title: 'Plan', about: 'the codons and loops of the hank, and what became of them' },
  files: { title: 'Files', about: 'the checkpointed files that changed' },
  sentinels: { title: 'Sentinels', about: 'the observers and what they did' },
  budgets: { title: 'Budgets', about: 'limits and how much of them is used' },
  checkpoints: { title: 'Checkpoints', about: 'the versions of the workspace that can be gone back to' },
  gates: { title: 'Gates', about: 'where the run waits for a person, and what was decided' },
} as const satisfies Readonly<Record<string, { readonly title: string; readonly about: string }>>

export type PanelName = keyof typeof panels

export const panelNames = Object.keys(panels) as readonly PanelName[]

/** What a person has chosen to see. Made by `pressKey` and a few functions here, never changed. */
export interface Ui {
  readonly panel: PanelName
  readonly places: Readonly<Record<PanelName | 'layer', Place>>
  readonly filter: StreamFilter
  /** Entries that are not as `allUnfolded` says. */
  readonly turned: ReadonlySet<string>
  readonly allUnfolded: boolean
  readonly costs: boolean
  readonly layer: Layer | undefined
  readonly notice: Notice | undefined
  /** The end was asked for. */
  readonly leaving: boolean
  /** The last entry of the stream when it was last followed; what came after it is new. */
  readonly leftAt: string | undefined
}

/** What stands in front of the panel until it is closed. */
export type Layer =
  | { readonly kind: 'help' }
  | { readonly kind: 'diff'; readonly path: string }
  | { readonly kind: 'text'; readonly title: string; readonly text: string }
  | { readonly kind: 'question'; readonly question: Question }
  | { readonly kind: 'search'; readonly text: string }

export interface Question {
  readonly title: string
  /** What would happen. */
  readonly lines: readonly string[]
  readonly answers: readonly Answer[]
}

export interface Answer {
  /** A character. */
  readonly key: string
  readonly does: string
  readonly command: SteeringCommand
}

/** What the server is asked to do. */
export type SteeringCommand = {
  [T in SteeringType]: { readonly type: T; readonly data: CommandInput<T>; readonly says: string }
}[SteeringType]

type SteeringType =
  | 'codon.next'
  | 'codon.skip'
  | 'codon.redo'
  | 'codon.forceStop'
  | 'rollback.toCheckpoint'
  | 'gate.decide'

export interface Notice {
  readonly text: string
  readonly style: Style
  /** Goes when what it announces has come about. */
  readonly isPending: boolean
  /** Milliseconds of the clock. */
  readonly until: number
}

/** What the controller does after a press. */
export type Effect =
  | { readonly kind: 'send'; readonly command: SteeringCommand }
  | { readonly kind: 'quit' }
  | { readonly kind: 'force' }
  | { readonly kind: 'redraw' }
  /** Gives the terminal to an editor. */
  | { readonly kind: 'edit'; readonly prompt: EditedPrompt }
  /** Shows what was sent to a codon. */
  | { readonly kind: 'prompt'; readonly of: PromptKey }
  /** Leaves, so that the edited hank is taken over. */
  | { readonly kind: 'adopt' }

/** The files of a prompt that a person wants to change. */
export interface EditedPrompt {
  readonly codonId: string
  /** Where the paths begin. */
  readonly directory: string
  readonly files: readonly string[]
}

/** Whose prompt: of a codon in an execution of this machine. */
export interface PromptKey {
  readonly executionPath: string
  readonly codonId: string
}

/** What a press leads to. */
export interface Pressed {
  readonly ui: Ui
  readonly effects: readonly Effect[]
}

export function initialUi({ costs }: { readonly costs: boolean }): Ui {
  return {
    panel: 'stream',
    places: {
      stream: 'end',
      plan: 'start',
      files: 'start',
      sentinels: 'start',
      budgets: 'start',
      checkpoints: 'start',
      gates: 'start',
      layer: 'start',
    },
    filter: noFilter,
    turned: new Set(),
    allUnfolded: false,
    costs,
    layer: undefined,
    notice: undefined,
    leaving: false,
    leftAt: undefined,
  }
}

const noticeMs = 6_000

export function withNotice(
  ui: Ui,
  text: string,
  { style = 'plain', now, isPending = false }: { style?: Style; now: number; isPending?: boolean },
): Ui {
  return { ...ui, notice: { text, style, isPending, until: now + noticeMs } }
}

/** Without a notice of something that has come about. */
export function settledUi(ui: Ui): Ui {
  return ui.notice?.isPending ? { ...ui, notice: undefined } : ui
}

export function isUnfolded({ turned, allUnfolded }: Ui, entryId: string): boolean {
  return turned.has(entryId) !== allUnfolded
}

/** The stream, as far as keys depend on it. */
export interface SeenStream {
  readonly entries: readonly StreamEntry[]
  readonly starts: readonly number[]
  /** Which of the entries match the search. */
  readonly matches: readonly number[]
  /** Whether an entry shows what is searched for only when it is unfolded. */
  readonly hidesMatch: (entry: StreamEntry) => boolean
}

/** What a press is judged by: what is seen at that moment. */
export interface Scene {
  readonly view: View
  /** Of the panel, or of the layer in front of it. */
  readonly rows: Rows
  readonly height: number
  /** Entries of the stream that are shown, and the row at which each begins. */
  readonly stream: SeenStream
  /** Checkpoints, by the keys of their rows. */
  readonly checkpoints: ReadonlyMap<string, Checkpoint>
  readonly canSteer: boolean
  /** The run belongs to this screen and ends with it. */
  readonly ownsRun: boolean
  readonly now: number
}
