import type { ServerEvent } from '@weave/protocol'
import type { RawEvent } from './past-reader.ts'
import type { SendFailure, SendResult } from './reply.ts'
import type { Sequence } from './sequence.ts'

/**
 * Brings a client that was away back to the present. The history in a handshake is cut to the newest events; when it
 * does not reach back to what the client saw last, the whole journal is read and what is missing taken from it.
 */
export interface CatchUp {
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
  readonly sequence: Sequence
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

export function createCatchUp({ sequence, ...hooks }: CatchUpHooks): CatchUp {
  const replay = (events: readonly RawEvent[]): void => {
    for (const raw of events) {
      const seq = seqOf(raw)
      // Looked at first: of a long journal only what is new is worth parsing.
      if (seq !== undefined && !sequence.isNew(seq)) continue
      const event = hooks.parse(raw)
      if (!event) continue
      if (seq === undefined) hooks.deliver(event)
      else sequence.advance(event, seq)
    }
  }

  const finish = (history: readonly RawEvent[]): void => {
    replay(history)
    if (!sequence.release()) fill([])
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
