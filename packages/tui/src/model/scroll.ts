import type { Rows } from './rows.ts'

/**
 * Where a panel stands. `end` follows what is new. A place in between is held by the thing it shows and not by a number, so
 * that what comes or goes elsewhere does not move it.
 */
export type Place =
  | 'start'
  | 'end'
  | {
      readonly key: string
      readonly part: number
      /** How far below the top edge it stands. */
      readonly screenRow: number
    }

export type Movement = 'up' | 'down' | 'page-up' | 'page-down' | 'home' | 'end'

export interface Window {
  /** The first row that is seen. */
  readonly top: number
  /** The row of the cursor; undefined while the end is followed, or when there is none. */
  readonly cursor: number | undefined
}

/** What of the rows is seen. */
export function windowOf(rows: Rows, place: Place, height: number): Window {
  const lowest = Math.max(0, rows.length - height)
  if (place === 'end') return { top: lowest, cursor: undefined }
  if (place === 'start') return { top: 0, cursor: rows.length > 0 ? 0 : undefined }
  const cursor = cursorOf(rows, place)
  if (cursor === undefined) return { top: 0, cursor: undefined }
  const top = clamp(cursor - clamp(place.screenRow, 0, height - 1), 0, lowest)
  return { top, cursor }
}

/** The place after a key. `followsEnd`: going down past the last row follows what is new. */
export function moved(
  rows: Rows,
  place: Place,
  {
    movement,
    height,
    followsEnd,
  }: { readonly movement: Movement; readonly height: number; readonly followsEnd: boolean },
): Place {
  const last = rows.length - 1
  if (last < 0) return followsEnd ? 'end' : 'start'
  const { top, cursor: shown } = windowOf(rows, place, height)
  const cursor = shown ?? last
  const steps = { up: -1, down: 1, 'page-up': 1 - height, 'page-down': height - 1, home: -last, end: last }
  const isFirstUp = shown === undefined && movement === 'up'
  const target = movement === 'home' ? 0 : movement === 'end' ? last : cursor + steps[movement]
  if (followsEnd && (target > last || movement === 'end')) return 'end'
  const next = clamp(isFirstUp ? last : target, 0, last)
  return placeAt(rows, next, screenRowAfter({ movement, height, next, top, cursor }))
}

/** The same where there is no cursor: every key moves what is seen. */
export function turned(
  rows: Rows,
  place: Place,
  { movement, height }: { readonly movement: Movement; readonly height: number },
): Place {
  const { top } = windowOf(rows, place, height)
  const steps = {
    up: -1,
    down: 1,
    'page-up': 1 - height,
    'page-down': height - 1,
    home: -top,
    end: rows.length,
  }
  const lowest = Math.max(0, rows.length - height)
  return placeAt(rows, clamp(top + steps[movement], 0, lowest), 0)
}

/** A place on a row, in the middle of the panel unless said otherwise. */
export function placeAt(rows: Rows, index: number, screenRow: number): Place {
  const row = rows.at(index)
  return row ? { key: row.key, part: row.part, screenRow } : 'start'
}

interface Step {
  readonly movement: Movement
  readonly height: number
  readonly next: number
  readonly top: number
  readonly cursor: number
}

/** Pages move what is seen; single steps move the cursor and push the edge. */
function screenRowAfter({ movement, height, next, top, cursor }: Step): number {
  const isPage = movement === 'page-up' || movement === 'page-down'
  return clamp(isPage ? cursor - top : next - top, 0, height - 1)
}

function cursorOf(rows: Rows, { key, part }: Exclude<Place, string>): number | undefined {
  const first = rows.indexOf(key)
  if (first < 0) return rows.length > 0 ? 0 : undefined
  for (let index = Math.min(first + part, rows.length - 1); index > first; index--) {
    if (rows.at(index)?.key === key) return index
  }
  return first
}

function clamp(value: number, low: number, high: number): number {
  return Math.max(low, Math.min(high, value))
}
