import type { ServerEvent } from '@weave/protocol'

/**
 * Keeps journaled events in order and single, over any number of connections.
 *
 * - **Q1** An event with a `seq` is delivered only when that `seq` is greater than every one delivered before.
 * - **Q2** From `hold` to `release` live events wait; what was missed is delivered meanwhile through `advance`.
 * - **Q3** At most `heldCap` events wait. One too many and all that wait are forgotten: `release` then says `false`, and
 *   the caller reads the journal again.
 *
 * Events without a `seq` are not its business.
 */
export interface Sequence {
  /** Where a new connection has to go on: the last `seq` delivered, or where the first connection began. */
  readonly lastSeq: number
  readonly hold: () => void
  /** The first connection asked for no history: whoever comes back later starts after this many events. */
  readonly startAfter: (seq: number) => void
  readonly isNew: (seq: number) => boolean
  /** A live event. */
  readonly take: (event: ServerEvent, seq: number) => void
  /** An event of the past, oldest first. */
  readonly advance: (event: ServerEvent, seq: number) => void
  readonly release: () => boolean
}

export const heldCap = 10_000

export function createSequence(
  deliver: (event: ServerEvent) => void,
  { since = 0, cap = heldCap }: { readonly since?: number | undefined; readonly cap?: number } = {},
): Sequence {
  let last = since
  let start = 0
  let held: { readonly event: ServerEvent; readonly seq: number }[] | undefined
  let overflowed = false

  const advance = (event: ServerEvent, seq: number): void => {
    if (seq <= last) return
    last = seq
    deliver(event)
  }

  return {
    get lastSeq() {
      return Math.max(last, start)
    },
    hold() {
      last = Math.max(last, start)
      held = []
      overflowed = false
    },
    // `last` stays: the count may include events that are written but not told yet, and those are still to come.
    startAfter(seq) {
      start = seq
    },
    isNew: seq => seq > last,
    take(event, seq) {
      if (!held) return advance(event, seq)
      if (overflowed) return
      held.push({ event, seq })
      if (held.length <= cap) return
      held = []
      overflowed = true
    },
    advance,
    release() {
      if (overflowed) {
        overflowed = false
        return false
      }
      for (let index = 0; held && index < held.length; index++) {
        const next = held[index]
        if (next) advance(next.event, next.seq)
      }
      held = undefined
      return true
    },
  }
}
