import type { ClientMode, ServerEvent } from '@weave/protocol'
import { platformTimers, type Timers, throwLater } from './platform.ts'
import { defaultReconnect, type ReconnectPolicy } from './reconnect.ts'

/** What a client may be told at its birth. Only `mode` is required. */
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
   * Told of what a listener threw, with the event it was told (none for a status). Must not throw. Default: thrown again
   * later, outside of the client, so that the platform reports it.
   */
  readonly onListenerError?: (error: unknown, event: ServerEvent | undefined) => void
  /** Told of frames and events that do not fit the protocol; they are passed over. Must not throw. */
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
