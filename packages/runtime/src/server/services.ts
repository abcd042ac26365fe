import type { ClientMode, EventData } from '@weave/protocol'
import type { Journal } from '../journal/index.ts'
import type { Clock, Log, Redactor, Semaphore } from '../kit/index.ts'
import type { Control } from '../runner/control.ts'
import type { Broadcast, Member } from './broadcast.ts'
import type { DirectSender, Envelopes } from './direct-sender.ts'
import type { EventHistory } from './history.ts'
import type { Limits } from './limits.ts'
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
