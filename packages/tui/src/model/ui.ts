import type { CommandInput } from 'weave-client'
import type { Style } from '../terminal/line.ts'
import type { PanelName } from './panel-names.ts'
import type { Place } from './scroll.ts'
import { noFilter, type StreamFilter } from './stream-filter.ts'

/** What a person has chosen to see. Made by `press` and a few functions here, never changed. */
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
}

/** What stands in front of the panel until it is closed. */
export type Layer =
  | { readonly kind: 'help' }
  | { readonly kind: 'diff'; readonly path: string }
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
  readonly order: Order
}

/** What the server is asked to do. */
export type Order = {
  [T in OrderType]: { readonly type: T; readonly data: CommandInput<T>; readonly says: string }
}[OrderType]

type OrderType = 'codon.next' | 'codon.skip' | 'codon.redo' | 'codon.forceStop' | 'rollback.toCheckpoint'

export interface Notice {
  readonly text: string
  readonly style: Style
  /** Milliseconds of the clock. */
  readonly until: number
}

/** What the face does after a press. */
export type Effect =
  | { readonly kind: 'send'; readonly order: Order }
  | { readonly kind: 'quit' }
  | { readonly kind: 'force' }
  | { readonly kind: 'redraw' }

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
      layer: 'start',
    },
    filter: noFilter,
    turned: new Set(),
    allUnfolded: false,
    costs,
    layer: undefined,
    notice: undefined,
    leaving: false,
  }
}

const noticeMs = 6_000

export function withNotice(
  ui: Ui,
  text: string,
  { style = 'plain', now }: { style?: Style; now: number },
): Ui {
  return { ...ui, notice: { text, style, until: now + noticeMs } }
}

export function isUnfolded({ turned, allUnfolded }: Ui, entryId: string): boolean {
  return turned.has(entryId) !== allUnfolded
}
