import type { ClientMode, EventData } from '@weave/protocol'
import type { Journal } from '../journal/index.ts'
import type { Clock, Log, Redactor, Semaphore } from '../kit/index.ts'
import type { Control } from '../runner/control.ts'
import type { Broadcast, Member } from './broadcast.ts'
import type { DirectSender, Envelopes } from './direct-sender.ts'
import type { EventHistory } from './history.ts'
import type { Peer } from './peer.ts'

/** What all connections of a server have in common. */
export interface Services {
  readonly journal: Journal
  readonly redactor: Redactor
  readonly control: Control
  readonly clock: Clock
  readonly log: Log
  readonly limits: Limits
  readonly ready: () => Ready | Promise<Ready>
  readonly readonlyOnly: boolean
  /** Whether a handshake carries what this server asks for. */
  readonly isTrusted: (token: string | undefined) => boolean
  readonly broadcast: Broadcast
  readonly envelopes: Envelopes
  /** Who reads the journal's files. */
  readonly readers: Semaphore
  readonly eventHistory: EventHistory
}

/** What does not depend on who shakes hands. */
type Ready = Omit<EventData<'server.ready'>, 'lastSeq'>

/** What a connection becomes by its handshake. */
export interface Client extends Member {
  readonly id: string
  readonly mode: ClientMode
  readonly peer: Peer
  readonly direct: DirectSender
}

/** What one connection, and all of them together, may cost. Tests hand in smaller ones. */
export interface Limits {
  /** A connection that has not shaken hands by then is closed with 1008. */
  readonly handshakeMs: number
  /** How long a client may take to answer a closing frame; then it is cut off. */
  readonly farewellMs: number
  /** The same for a connection that never shook hands. */
  readonly strangerFarewellMs: number
  /** Connections that have not shaken hands yet; further upgrades wait. */
  readonly strangers: number
  readonly clients: number
  /** One incoming message. A larger one closes with 1009. */
  readonly messageBytes: number
  readonly fragments: number
  /** Incoming messages and pings: this many at once, and as many again each second. More closes with 1008. */
  readonly messagesPerSecond: number
  /** Commands of one client that are not answered yet. More closes with 1008. */
  readonly unanswered: number
  /** What waits to be sent to one client. More closes with 1013. */
  readonly queueBytes: number
  readonly historyEvents: number
  readonly historyBytes: number
  readonly batchEvents: number
  readonly batchBytes: number
  /** How often a client is asked whether it is still there. One that lets a whole period pass is cut off. */
  readonly pingMs: number
  /** How long each step of closing the server may take: sending what is queued, and the goodbyes of the others. */
  readonly closeMs: number
}

const mebibyte = 1024 * 1024

export const limits: Limits = {
  handshakeMs: 10_000,
  farewellMs: 30_000,
  strangerFarewellMs: 1_000,
  strangers: 64,
  clients: 1_024,
  messageBytes: mebibyte,
  fragments: 256,
  messagesPerSecond: 200,
  unanswered: 1_000,
  queueBytes: 8 * mebibyte,
  historyEvents: 1_000,
  historyBytes: 4 * mebibyte,
  batchEvents: 500,
  batchBytes: mebibyte,
  pingMs: 30_000,
  closeMs: 2_000,
}
