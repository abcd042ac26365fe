import type { HandshakeInput, ServerEvent } from '@weave/protocol'
import { type Connection, type Greeting, startConnection } from './connection.ts'
import type { Timers } from './platform.ts'
import { clientCloseCodes, isFinalClose, type ReconnectPolicy, reconnectDelay } from './reconnect.ts'
import type { Connect } from './transport.ts'

/** Where a client stands. Each state has only what it may have. */
export type ClientStatus =
  | { readonly state: 'connecting' }
  | { readonly state: 'open' }
  | {
      readonly state: 'reconnecting'
      readonly attempt: number
      readonly delayMs: number
      readonly reason: string
    }
  | { readonly state: 'closed'; readonly code: number; readonly reason: string }

export interface ReconnectingOptions {
  readonly connect: Connect
  /** Not given: a lost connection is the end. */
  readonly policy: ReconnectPolicy | undefined
  readonly timers: Timers
  /** From [0, 1). */
  readonly random: () => number
  readonly handshakeTimeoutMs: number
  readonly newId: () => string
}

export interface ReconnectingHooks {
  /** Asked at every attempt. */
  readonly handshake: () => HandshakeInput
  /** A connection begins; events of it may follow before it is open. */
  readonly onStart: () => void
  /** Whether the server is the one that was meant; if not, that is the end. */
  readonly accept: (greeting: Greeting) => boolean
  /** Called after the status is `open`. */
  readonly onOpen: (greeting: Greeting) => void
  readonly onEvent: (event: ServerEvent) => void
  readonly onUnknown: (type: string) => void
  readonly onMalformed: (problem: string) => void
  /** A connection ended, opened or not. Called before the status changes; true: the end was wanted, do not reconnect. */
  readonly onLost: (code: number) => boolean
  readonly onStatus: (status: ClientStatus) => void
}

export interface ReconnectingConnection {
  readonly status: ClientStatus
  readonly send: (text: string) => void
  /** Gives this connection up and tries again, as if it had been lost. */
  readonly drop: (reason: string) => void
  /** The end for good. */
  readonly close: (code: number, reason: string) => void
}

/** A connection that comes back: one attempt after another until a final close code, the policy or `close` ends it. */
export function createReconnectingConnection(
  options: ReconnectingOptions,
  hooks: ReconnectingHooks,
): ReconnectingConnection {
  const { timers, connect, handshakeTimeoutMs: timeoutMs } = options
  const attempts = createAttempts(options)
  let status: ClientStatus = { state: 'connecting' }
  let connection: Connection | undefined
  let closing = false

  const change = (next: ClientStatus): void => {
    if (status.state === 'closed') return
    status = next
    hooks.onStatus(next)
  }

  const start = (): void => {
    hooks.onStart()
    const request = { handshake: hooks.handshake(), handshakeId: options.newId() }
    const { onEvent, onUnknown, onMalformed } = hooks
    connection = startConnection(
      { connect, timers, timeoutMs, ...request },
      { onOpen: opened, onEnd: lost, onEvent, onUnknown, onMalformed },
    )
  }

  const opened = (greeting: Greeting): void => {
    if (!hooks.accept(greeting)) {
      connection?.end(clientCloseCodes.otherExecution, 'The server now serves another execution.')
      return
    }
    attempts.opened()
    change({ state: 'open' })
    if (!closing) hooks.onOpen(greeting)
  }

  const lost = (code: number, reason: string): void => {
    connection = undefined
    const isFinal = hooks.onLost(code) || closing || isFinalClose(code)
    const next = attempts.lost(isFinal, start)
    change(next ? { state: 'reconnecting', ...next, reason } : { state: 'closed', code, reason })
  }

  start()
  return {
    get status() {
      return status
    },
    send: text => connection?.send(text),
    drop: reason => connection?.end(1006, reason),
    close(code, reason) {
      closing = true
      attempts.cancel()
      if (connection) connection.end(code, reason)
      else change({ state: 'closed', code, reason })
    },
  }
}

interface Attempts {
  /** A connection is open; once it has been so for a while, counting starts anew. */
  readonly opened: () => void
  /** Plans the next attempt, if there is to be one. */
  readonly lost: (isFinal: boolean, start: () => void) => NextAttempt | undefined
  readonly cancel: () => void
}

interface NextAttempt {
  readonly attempt: number
  readonly delayMs: number
}

function createAttempts({ policy, timers, random }: ReconnectingOptions): Attempts {
  let everOpen = false
  let count = 0
  let cancel = (): void => {}
  return {
    opened() {
      everOpen = true
      if (!policy) return
      cancel = timers.after(policy.stableMs, () => {
        count = 0
      })
    },
    lost(isFinal, start) {
      cancel()
      if (!policy || isFinal || count >= policy.maxAttempts) return undefined
      if (!everOpen && !policy.fromStart) return undefined
      count += 1
      const delayMs = reconnectDelay(policy, count, random())
      cancel = timers.after(delayMs, start)
      return { attempt: count, delayMs }
    },
    cancel: () => cancel(),
  }
}
