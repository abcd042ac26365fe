import type { ClientMode, CommandInput, CommandType, EventType, ServerEvent } from '@weave/protocol'
import type { HistoryBatch } from './history.ts'
import type { SendResult } from './pending-commands.ts'
import { platformTimers, type Timers, throwLater } from './platform.ts'
import { defaultReconnect, type ReconnectPolicy } from './reconnect.ts'
import type { ClientStatus } from './reconnecting-connection.ts'

/** A live view of one execution and a way to steer it. Nothing here throws or rejects on account of the server. */
export interface WeaveClient {
  readonly status: ClientStatus
  /** Settles once: when the first handshake is done, or when the client closed before it was. */
  readonly opened: Promise<OpenResult>
  /** As granted by the last handshake; this and the next three are undefined before the first. */
  readonly mode: ClientMode | undefined
  readonly clientId: string | undefined
  /** Events of the journal that this client can get, and the last `seq` in it, at the time of the last handshake. */
  readonly totalEvents: number | undefined
  readonly journalSeq: number | undefined
  /** The `seq` of the last journaled event that was delivered, or where delivery begins. */
  readonly lastSeq: number
  /** How many events had a type that this client does not know; they are passed over. */
  readonly unknownEvents: number

  /**
   * Sends a command. Settles with the event that answers it, with the server's `error`, or with a failure of the
   * connection; it never rejects. Without `timeoutMs` it may wait as long as the connection stands: a command whose
   * effect comes late (a rig that takes minutes) is answered late.
   */
  readonly send: <T extends CommandType>(type: T, ...rest: SendArguments<T>) => Promise<SendResult<T>>
  /**
   * The whole journal from its beginning, for one reader; a failure is the last item. Asks when called; batches that
   * are not read yet wait in memory.
   */
  readonly history: (options?: SendOptions) => AsyncIterableIterator<HistoryBatch>

  /**
   * Journaled events come in order of their `seq`, each exactly once, also over reconnections. Listeners added in the
   * same tick as `connect` miss nothing. Returns a function that takes the listener out.
   */
  readonly on: <T extends EventType>(type: T, listener: (event: ServerEvent<T>) => void) => () => void
  readonly onAny: (listener: (event: ServerEvent) => void) => () => void
  /** Called with every change after the call. */
  readonly onStatus: (listener: (status: ClientStatus) => void) => () => void

  /** Ends it for good and at once: waiting commands settle, no event is delivered any more. The server goes on. */
  readonly close: () => void
}

/** What a handshake says. */
export interface Session {
  readonly clientId: string
  readonly mode: ClientMode
  readonly totalEvents: number
  readonly journalSeq: number
}

export type OpenResult =
  | ({ readonly ok: true } & Session)
  | { readonly ok: false; readonly code: number; readonly reason: string }

export interface SendOptions {
  readonly timeoutMs?: number
}

/** `data` may be left out where a command has no field that must be given. */
export type SendArguments<T extends CommandType> =
  Record<never, never> extends CommandInput<T>
    ? [data?: CommandInput<T>, options?: SendOptions]
    : [data: CommandInput<T>, options?: SendOptions]

/** Options of a client. Only `mode` is required. */
export interface ClientOptions {
  /** What is asked for; `client.mode` says what was granted. */
  readonly mode: ClientMode
  /** Deliver the newest events of the journal first. `since` implies it. */
  readonly sendPreviousEvents?: boolean
  /** Deliver every event after this `seq` first, however many; 0 is the whole journal. */
  readonly since?: number
  /** Default `['weave']`: the extension events too. */
  readonly extensions?: readonly string[]
  readonly token?: string
  /** `false`: a lost connection is the end. Fields that are not given keep their default. */
  readonly reconnect?: false | Partial<ReconnectPolicy>
  /** How long opening and shaking hands may take, and the silence allowed while the client reads the journal. */
  readonly handshakeTimeoutMs?: number
  /**
   * Called with what a listener threw and the event it was given (none for a status). Must not throw. Default: thrown again
   * later, outside of the client, so that the platform reports it.
   */
  readonly onListenerError?: (error: unknown, event: ServerEvent | undefined) => void
  /** Called for frames and events that do not fit the protocol; they are skipped. Must not throw. */
  readonly onMalformed?: (problem: string) => void
  readonly timers?: Timers
  /** From [0, 1); for ids and for the spread of reconnections. */
  readonly random?: () => number
}

/** The options that have a default, filled in. */
export interface ClientSettings
  extends Required<
    Pick<ClientOptions, 'handshakeTimeoutMs' | 'onListenerError' | 'onMalformed' | 'timers' | 'random'>
  > {
  readonly policy: ReconnectPolicy | undefined
}

export function withDefaults(options: ClientOptions): ClientSettings {
  return {
    handshakeTimeoutMs: options.handshakeTimeoutMs ?? 10_000,
    onListenerError: options.onListenerError ?? throwLater,
    onMalformed: options.onMalformed ?? (() => {}),
    timers: options.timers ?? platformTimers,
    random: options.random ?? Math.random,
    policy: options.reconnect === false ? undefined : { ...defaultReconnect, ...options.reconnect },
  }
}
