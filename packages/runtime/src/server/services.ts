import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ClientMode, DecidedBy, EventData } from '@weave/protocol'
import type { Journal } from '../journal/index.ts'
import type { Clock, Log, Redactor, Semaphore } from '../kit/index.ts'
import type { Control } from '../runner/control.ts'
import type { Broadcast, Hides, Member } from './broadcast.ts'
import type { DirectSender, Envelopes } from './direct-sender.ts'
import type { EventHistory } from './history.ts'
import type { Peer } from './peer.ts'

export interface ServerOptions {
  /** 0: whichever is free. */
  readonly port: number
  /** Listens on this address too, and warns of it; needs `token`. */
  readonly host?: string | undefined
  readonly token?: string | undefined
  readonly readonlyOnly: boolean
  /** 0: an idle connection may stay. */
  readonly idleTimeoutSeconds: number
  /** Lets other users of this machine in; only Linux can tell them apart. */
  readonly allowOtherUsers: boolean
  readonly journal: Journal
  /** Redacts direct messages; journaled events are redacted by the journal. */
  readonly redactor: Redactor
  readonly control: Control
  /** Asked at every handshake, which is answered when this is known. Must not throw or reject. */
  readonly ready: () => Ready | Promise<Ready>
  /** Which events are sent to no client when they happen. Must not throw. */
  readonly hides?: Hides | undefined
  /** Whether a connection is of an agent of this run, which must not decide for a person. Absent: nobody asks. */
  readonly isOfAgent?: ((socket: Socket) => Promise<boolean>) | undefined
  /** Whose program this is. */
  readonly user?: string | undefined
  readonly clock: Clock
  readonly log?: Log | undefined
  readonly limits?: Partial<Limits> | undefined
  /** Answers plain requests that passed the origin check; false: not this one, and nothing of it was touched. */
  readonly http?: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined
  /** Whether a request is for a page without data, where a link from elsewhere may lead. */
  readonly isPage?: ((request: IncomingMessage) => boolean) | undefined
  /** What a token of a handshake allows besides the server's own; undefined: it is none. */
  readonly modeOf?: ((token: string | undefined) => ClientMode | undefined) | undefined
}

type Given =
  | 'journal'
  | 'redactor'
  | 'control'
  | 'clock'
  | 'ready'
  | 'readonlyOnly'
  | 'isOfAgent'
  | 'user'
  | 'allowOtherUsers'
  | 'modeOf'

/** What all connections of a server have in common. */
export interface Services extends Pick<ServerOptions, Given> {
  readonly log: Log
  readonly limits: Limits
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
  /** How its decisions are written down. */
  readonly by: DecidedBy
  readonly peer: Peer
  readonly direct: DirectSender
}

const mebibyte = 1024 * 1024

/** What one connection, and all of them together, may cost. */
export const limits = {
  /** A connection that has not shaken hands by then is closed with 1008. */
  handshakeMs: 10_000,
  /** How long a client may take to answer a closing frame; then it is cut off. */
  farewellMs: 30_000,
  /** The same for a connection that never shook hands. */
  strangerFarewellMs: 1_000,
  /** Connections that have not shaken hands yet; further upgrades wait. */
  strangers: 64,
  clients: 1_024,
  /** One incoming message. A larger one closes with 1009. */
  messageBytes: mebibyte,
  fragments: 256,
  /** Incoming messages and pings: this many at once, and as many again each second. More closes with 1008. */
  messagesPerSecond: 200,
  /** Commands of one client that are not answered yet. More closes with 1008. */
  unanswered: 1_000,
  /** What waits to be sent to one client. More closes with 1013. */
  queueBytes: 8 * mebibyte,
  historyEvents: 1_000,
  historyBytes: 4 * mebibyte,
  batchEvents: 500,
  batchBytes: mebibyte,
  /** How often a client is asked whether it is still there. One that lets a whole period pass is cut off. */
  pingMs: 30_000,
  /** How long each stage of closing the server may take: sending what is queued, and the goodbyes of the others. */
  closeMs: 2_000,
}

/** Tests hand in smaller ones. */
export type Limits = Readonly<typeof limits>
