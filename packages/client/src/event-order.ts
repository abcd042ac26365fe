import { parseEvent, type ServerEvent } from '@weave/protocol'
import type { SendFailure, SendResult } from './pending-commands.ts'

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
export interface EventOrder {
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

export function createEventOrder(
  deliver: (event: ServerEvent) => void,
  { since = 0, cap = heldCap }: { readonly since?: number | undefined; readonly cap?: number } = {},
): EventOrder {
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
    // `last` stays: the count may include events that are written but not sent yet, and those are still to come.
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

/**
 * Brings a client that was away back to the present. The history in a handshake is cut to the newest events; when it
 * does not reach back to what the client saw last, the whole journal is read and what is missing taken from it.
 */
interface CatchUp {
  readonly begin: (past: Past) => void
}

export interface Past {
  /** What the handshake gave, oldest first. */
  readonly history: readonly RawEvent[]
  /** The last `seq` in the journal at the time of the handshake. */
  readonly journalSeq: number
  /** What the handshake asked for, if it did. */
  readonly since: number | undefined
}

export interface CatchUpHooks {
  readonly order: EventOrder
  /** Reads the journal from its beginning: `history.sync`, hidden from listeners. */
  readonly readJournal: (
    onBatch: (events: readonly RawEvent[]) => void,
    onEnd: (result: SendResult) => void,
  ) => void
  readonly parse: (raw: RawEvent) => ServerEvent | undefined
  /** Delivers an event of the past that has no `seq`. */
  readonly deliver: (event: ServerEvent) => void
  /** The journal could not be read: this connection is of no use. */
  readonly onFailure: (failure: SendFailure) => void
}

export function createCatchUp({ order, ...hooks }: CatchUpHooks): CatchUp {
  const replay = (events: readonly RawEvent[]): void => {
    for (const raw of events) {
      const seq = seqOf(raw)
      // Looked at first: of a long journal only what is new is worth parsing.
      if (seq !== undefined && !order.isNew(seq)) continue
      const event = hooks.parse(raw)
      if (!event) continue
      if (seq === undefined) hooks.deliver(event)
      else order.advance(event, seq)
    }
  }

  const finish = (history: readonly RawEvent[]): void => {
    replay(history)
    if (!order.release()) fill([])
  }

  const fill = (history: readonly RawEvent[]): void =>
    hooks.readJournal(replay, result => {
      if (result.ok) return finish(history)
      // A lost connection needs no help: the next one begins where this one stopped.
      if (result.code !== 'CONNECTION_LOST') hooks.onFailure(result)
    })

  return {
    begin(past) {
      if (reachesBack(past)) finish(past.history)
      else fill(past.history)
    },
  }
}

/**
 * Whether nothing is missing between `since` and the history. A client without extensions may see a hole where an
 * extension event was; it then reads the journal for nothing, which is slow but never wrong.
 */
function reachesBack({ history, journalSeq, since }: Past): boolean {
  if (since === undefined) return true
  const oldest = history[0]
  if (!oldest) return journalSeq <= since
  const seq = seqOf(oldest)
  return seq === undefined || seq <= since + 1
}

function seqOf(raw: RawEvent): number | undefined {
  const seq = raw['seq']
  return typeof seq === 'number' ? seq : undefined
}

/** An event as it lies in a history: its data has not been looked at yet. */
type RawEvent = { readonly [key: string]: unknown }

/** Reads events out of histories, and counts and reports what this client cannot read, there and elsewhere. */
export interface HistoryParser {
  readonly unknownEvents: number
  /** Undefined: the event was unknown or malformed, and has been counted or reported. */
  readonly parse: (raw: RawEvent) => ServerEvent | undefined
  readonly onUnknown: () => void
  readonly onMalformed: (problem: string) => void
}

export function createHistoryParser(onMalformed: (problem: string) => void): HistoryParser {
  let unknownEvents = 0
  const onUnknown = (): void => {
    unknownEvents += 1
  }
  return {
    get unknownEvents() {
      return unknownEvents
    },
    parse(raw) {
      const message = parseEvent(raw)
      if (message.kind === 'event') return message.event
      if (message.kind === 'problem') onMalformed(message.message)
      else onUnknown()
      return undefined
    },
    onUnknown,
    onMalformed,
  }
}
