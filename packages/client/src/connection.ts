import {
  type EventData,
  type HandshakeInput,
  type HandshakeResponse,
  parseServerFrame,
  type ServerEvent,
  type ServerMessage,
} from '@weave/protocol'
import type { Timers } from './platform.ts'
import { clientCloseCodes } from './reconnect.ts'
import type { Connect, Connected, Transport } from './transport.ts'

/** What the server says about itself and its journal at the beginning of a connection. */
export interface Greeting {
  readonly response: HandshakeResponse['data']
  readonly ready: ServerEvent<'server.ready'>
}

export interface ConnectionOptions {
  readonly connect: Connect
  readonly handshake: HandshakeInput
  readonly handshakeId: string
  readonly timers: Timers
  /** How long opening and the handshake may take together. */
  readonly timeoutMs: number
}

/** Called in this order: events may come before `onOpen`, nothing comes after `onEnd`, and `onEnd` comes once. */
export interface ConnectionHooks {
  readonly onOpen: (greeting: Greeting) => void
  readonly onEvent: (event: ServerEvent) => void
  readonly onUnknown: (type: string) => void
  readonly onMalformed: (problem: string) => void
  readonly onEnd: (code: number, reason: string) => void
}

export interface Connection {
  readonly send: (text: string) => void
  /** Ends it from this side: `onEnd` is called now, not when the other side has agreed. */
  readonly end: (code: number, reason: string) => void
}

/** One connection from its first attempt to its end: opens the transport, shakes hands, reads frames. */
export function startConnection(options: ConnectionOptions, hooks: ConnectionHooks): Connection {
  let transport: Transport | undefined
  let ended = false

  const end = (code: number, reason: string): void => {
    if (ended) return
    ended = true
    cancelTimer()
    transport?.close(code, shortReason(reason))
    hooks.onEnd(code, reason)
  }
  const cancelTimer = options.timers.after(options.timeoutMs, () =>
    end(1006, `No handshake within ${options.timeoutMs} ms.`),
  )
  const read = createReader(hooks, {
    opened: greeting => {
      cancelTimer()
      hooks.onOpen(greeting)
    },
    refused: data => end(data.code === 'SHUTTING_DOWN' ? 1001 : clientCloseCodes.refused, data.message),
  })

  const begin = (opened: Transport): void => {
    if (ended) {
      opened.close(1000)
      return
    }
    transport = opened
    opened.onMessage(text => {
      if (!ended) read(text)
    })
    opened.onClose(end)
    opened.send(JSON.stringify({ id: options.handshakeId, type: 'handshake', data: options.handshake }))
  }
  // Inside the promise, so that a `connect` that throws is a failed attempt like any other.
  new Promise<Connected>(resolve => resolve(options.connect())).then(
    result => (result.ok ? begin(result.transport) : end(1006, result.reason)),
    (error: unknown) => end(1006, error instanceof Error ? error.message : String(error)),
  )

  return { send: text => transport?.send(text), end }
}

interface HandshakeOutcome {
  readonly opened: (greeting: Greeting) => void
  readonly refused: (error: EventData<'error'>) => void
}

/** Reads frames; the connection is open once both the response and `server.ready` are there. */
function createReader(hooks: ConnectionHooks, outcome: HandshakeOutcome): (text: string) => void {
  let response: HandshakeResponse['data'] | undefined
  let open = false

  const readEvent = (event: ServerEvent): void => {
    if (!open && event.type === 'error' && event.seq === undefined) outcome.refused(event.data)
    else if (!open && event.type === 'server.ready' && response) {
      open = true
      outcome.opened({ response, ready: event })
    } else hooks.onEvent(event)
  }

  const readMessage = (message: ServerMessage): void => {
    if (message.kind === 'event') readEvent(message.event)
    else if (message.kind === 'handshake') response ??= message.response.data
    else if (message.kind === 'unknown') hooks.onUnknown(message.type)
    else hooks.onMalformed(message.message)
  }

  return text => {
    for (const message of parseServerFrame(text)) readMessage(message)
  }
}

/** A close frame has room for 123 bytes of reason; a longer one is an error in every WebSocket. */
function shortReason(reason: string): string {
  return reason.length <= 40 ? reason : `${reason.slice(0, 39)}…`
}
