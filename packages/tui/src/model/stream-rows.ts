import { type Ring, ringItems, type StreamEntry } from 'weave-client'
import type { Line } from '../terminal/line.ts'
import type { Row, Rows } from './rows.ts'
import { type EntryOptions, entryLines } from './stream-entry.ts'
import { isShown, type StreamFilter } from './stream-filter.ts'

export interface StreamRowsOptions extends Omit<EntryOptions, 'unfolded' | 'search'> {
  readonly stream: Ring<StreamEntry>
  readonly filter: StreamFilter
  readonly isUnfolded: (entry: StreamEntry) => boolean
}

/** The stream as rows, and the entries that they come from. */
export interface StreamRows extends Rows {
  readonly entries: readonly StreamEntry[]
  /** Where each entry begins. */
  readonly starts: readonly number[]
}

/**
 * Makes rows of the stream. What an entry looks like is kept until something about it changes, so that a page costs what
 * changed since the page before, however long the stream is.
 */
export function createStreamRows(): (options: StreamRowsOptions) => StreamRows {
  const looks = new WeakMap<StreamEntry, { readonly look: string; readonly lines: readonly Line[] }>()
  return ({ stream, filter, isUnfolded, ...options }) => {
    const { search } = filter
    const linesOf = (entry: StreamEntry): readonly Line[] => {
      const unfolded = isUnfolded(entry)
      const look = `${options.width} ${unfolded} ${options.costs} ${options.root} ${search}`
      const known = looks.get(entry)
      if (known?.look === look) return known.lines
      const lines = entryLines(entry, { ...options, search, unfolded })
      looks.set(entry, { look, lines })
      return lines
    }
    const entries = ringItems(stream).filter(entry => isShown(entry, filter))
    const starts: number[] = []
    let length = 0
    for (const entry of entries) {
      starts.push(length)
      length += linesOf(entry).length
    }
    const at = (index: number): Row | undefined => {
      const which = entryAt(starts, index)
      const entry = index < length ? entries[which] : undefined
      if (!entry) return undefined
      const part = index - (starts[which] ?? 0)
      return { key: entry.id, part, line: linesOf(entry)[part] ?? [] }
    }
    const indexOf = (key: string): number => {
      const which = entries.findIndex(({ id }) => id === key)
      return starts[which] ?? -1
    }
    return { entries, starts, length, at, indexOf }
  }
}

/** The last entry that begins at or before a row. */
function entryAt(starts: readonly number[], row: number): number {
  let low = 0
  let high = starts.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((starts[middle] ?? 0) <= row) low = middle + 1
    else high = middle
  }
  return low - 1
}
