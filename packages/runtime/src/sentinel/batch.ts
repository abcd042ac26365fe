import type { ObservedEvent } from './observed.ts'

/** What one trigger of a sentinel is about. */
export interface Batch {
  /** In order; of very many only the newest. */
  readonly events: readonly ObservedEvent[]
  /** All of them, also those that were too many to keep. */
  readonly eventCount: number
}

export interface OpenBatch {
  /** How often something was added. */
  readonly size: number
  add(events: readonly ObservedEvent[]): void
  /** What was collected; begins anew. */
  take(): Batch
}

export const mostEvents = 1_000
export const mostCharacters = 8_000_000

/** Collects events for the next trigger. Never holds much more than a prompt could use, however long it is left open. */
export function createBatch(): OpenBatch {
  let events: ObservedEvent[] = []
  let weights: number[] = []
  let characters = 0
  let eventCount = 0
  let size = 0

  /** The oldest have to go. */
  function trim(): void {
    let dropped = 0
    while (isTooMuch(events.length - dropped, characters, 1)) characters -= weights[dropped++] ?? 0
    events = events.slice(dropped)
    weights = weights.slice(dropped)
  }

  return {
    get size() {
      return size
    },
    add(more) {
      size++
      eventCount += more.length
      for (const event of more) {
        const weight = weightOf(event)
        events.push(event)
        weights.push(weight)
        characters += weight
      }
      // Dropping moves all that stay, so it is not done for every single one.
      if (isTooMuch(events.length, characters, 2)) trim()
    },
    take() {
      trim()
      const batch = { events, eventCount }
      events = []
      weights = []
      characters = 0
      eventCount = 0
      size = 0
      return batch
    },
  }
}

function isTooMuch(events: number, characters: number, times: number): boolean {
  return events > mostEvents * times || (events > 1 && characters > mostCharacters * times)
}

let weighed: ObservedEvent | undefined
let itsWeight = 0

/**
 * About how many characters an event has. Texts are what makes events large, and they lie at the top of the data. Many
 * sentinels get the same event one after the other, so it is weighed once.
 */
function weightOf(event: ObservedEvent): number {
  if (event === weighed) return itsWeight
  let weight = 200
  for (const value of Object.values(event.data)) {
    if (typeof value === 'string') weight += value.length
    else if (Array.isArray(value)) weight += value.length * 200
  }
  weighed = event
  itsWeight = weight
  return weight
}
