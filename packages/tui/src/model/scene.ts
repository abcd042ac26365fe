import type { Checkpoint, StreamEntry, View } from 'weave-client'
import type { Rows } from './rows.ts'

/** What a press is judged by: what is seen at that moment. */
export interface Scene {
  readonly view: View
  /** Of the panel, or of the layer in front of it. */
  readonly rows: Rows
  readonly height: number
  /** Entries of the stream that are shown, and the row at which each begins. */
  readonly stream: { readonly entries: readonly StreamEntry[]; readonly starts: readonly number[] }
  /** Checkpoints, by the keys of their rows. */
  readonly checkpoints: ReadonlyMap<string, Checkpoint>
  readonly canSteer: boolean
  readonly now: number
}
