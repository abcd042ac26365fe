import type { ObservedEvent } from './events.ts'

/** What one trigger of a sentinel is about. */
export interface Batch {
  /** In order; of very many only the newest. */
  readonly events: readonly ObservedEvent[]
  /** All of them, also those that were too many to keep. */
  readonly eventCount: number
}

/** Events that are kept together, and that several sentinels may hold. */
export interface Piece {
  readonly events: readonly ObservedEvent[]
  /** About how many characters they have. */
  readonly weight: number
}

/** Events that came shortly after one another, in order. */
export interface Delivery extends Piece {
  /** When each of them came, on the monotonic clock. */
  readonly times: readonly number[]
}

export const mostEvents = 1_000
export const mostCharacters = 8_000_000

/**
 * Collects events for the next trigger. Never holds much more than a prompt could use, however long it is left open. Keeps
 * the pieces as they come: what twenty sentinels hold is there once.
 */
export function createBatch() {
  const pieces: Piece[] = []
  let held = 0
  let characters = 0
  let eventCount = 0
  let size = 0

  /** The oldest piece goes when the others are enough. */
  function trim(): void {
    for (let oldest = pieces[0]; oldest && pieces.length > 1; oldest = pieces[0]) {
      const isEnough =
        held - oldest.events.length >= mostEvents || characters - oldest.weight >= mostCharacters
      if (!isEnough) return
      pieces.shift()
      held -= oldest.events.length
      characters -= oldest.weight
    }
  }

  return {
    /** How many firings are in it. */
    get size() {
      return size
    },
    add(piece: Piece, firings: number): void {
      size += firings
      eventCount += piece.events.length
      held += piece.events.length
      characters += piece.weight
      pieces.push(piece)
      if (held > mostEvents || characters > mostCharacters) trim()
    },
    content: (): Batch => ({ events: newest(pieces.flatMap(piece => piece.events)), eventCount }),
  }
}

/** As many as a batch may have; the last one always. */
function newest(events: readonly ObservedEvent[]): readonly ObservedEvent[] {
  let room = mostCharacters
  const last = events.slice(-mostEvents)
  const at = last.findLastIndex(event => {
    room -= weightOf(event)
    return room < 0
  })
  return last.slice(Math.min(at + 1, last.length - 1))
}

export function pieceOf(events: readonly ObservedEvent[]): Piece {
  return { events, weight: events.reduce((sum, event) => sum + weightOf(event), 0) }
}

/** Texts are what makes events large, and they lie at the top of the data. */
function weightOf({ data }: ObservedEvent): number {
  let weight = 200
  for (const value of Object.values(data)) {
    if (typeof value === 'string') weight += value.length
    else if (Array.isArray(value)) weight += value.length * 200
  }
  return weight
}
