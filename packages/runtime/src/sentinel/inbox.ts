import { type Piece, pieceOf } from './batch.ts'
import type { ObservedEvent } from './observed.ts'

/** Events that came shortly after one another, in order. */
export interface Delivery extends Piece {
  /** When each of them came, on the monotonic clock. */
  readonly times: readonly number[]
}

/**
 * Gathers events for sentinels that are interested in the same ones. Looking at several events at a time
 * costs a sentinel little more than looking at one.
 */
export interface Inbox {
  /** `false`: no more fit, empty it now. */
  put(event: ObservedEvent, now: number): boolean
  /** What has come since; undefined when nothing has. */
  empty(): Delivery | undefined
}

/** So many and no more: they are looked at in one go. */
const mostEvents = 100

export function createInbox(): Inbox {
  let events: ObservedEvent[] = []
  let times: number[] = []
  return {
    put(event, now) {
      events.push(event)
      times.push(now)
      return events.length < mostEvents
    },
    empty() {
      if (events.length === 0) return undefined
      const delivery = { ...pieceOf(events), times }
      events = []
      times = []
      return delivery
    },
  }
}
