import type { CommandType, ServerEvent } from '@weave/protocol'
import type { Greeting } from './connection.ts'
import {
  type CatchUpHooks,
  createCatchUp,
  createEventOrder,
  createHistoryParser,
  type EventOrder,
  type HistoryParser,
} from './event-order.ts'
import { createHandshakeSession, type HandshakeSession } from './handshake-session.ts'
import { createHistoryQueue, type HistoryQueue } from './history.ts'
import { createEventListeners, createListeners, type EventListeners, type Listeners } from './listeners.ts'
import {
  createIds,
  createPending,
  isGoodbye,
  type Pending,
  type PendingCommand,
  type SendFailure,
  type SendResult,
} from './pending-commands.ts'
import {
  type ClientStatus,
  createReconnectingConnection,
  type ReconnectingConnection,
} from './reconnecting-connection.ts'
import { type Connect, type SocketConstructor, socketConnect } from './transport.ts'
import {
  type ClientOptions,
  type ClientSettings,
  type OpenResult,
  type SendArguments,
  type SendOptions,
  type WeaveClient,
  withDefaults,
} from './weave-client.ts'

/** Options for an address: the WebSocket to use is `ws` in Node and `globalThis.WebSocket` in a browser. */
export interface SocketClientOptions extends ClientOptions {
  readonly socket: SocketConstructor
}

/** Connects to a server by its address, or over transports that the caller opens. */
export function connect(url: string, options: SocketClientOptions): WeaveClient
export function connect(target: { readonly transport: Connect }, options: ClientOptions): WeaveClient
export function connect(
  target: string | { readonly transport: Connect },
  options: ClientOptions | SocketClientOptions,
): WeaveClient {
  if (typeof target !== 'string') return createClient(target.transport, options)
  if ('socket' in options) return createClient(socketConnect(target, options.socket), options)
  throw new TypeError('An address needs the option `socket`: the WebSocket constructor to use.')
}

/** Starts connecting at once and returns at once; nothing is delivered before the caller's tick is over. */
function createClient(connect: Connect, options: ClientOptions): WeaveClient {
  const settings = withDefaults(options)
  const core = createCore(connect, options, settings)
  const { connection, listeners, statuses, parser, handshakes, order } = core
  return {
    get status() {
      return connection.status
    },
    get mode() {
      return handshakes.session?.mode
    },
    get clientId() {
      return handshakes.session?.clientId
    },
    get totalEvents() {
      return handshakes.session?.totalEvents
    },
    get journalSeq() {
      return handshakes.session?.journalSeq
    },
    get lastSeq() {
      return order.lastSeq
    },
    get unknownEvents() {
      return parser.unknownEvents
    },
    opened: core.opened,
    send: <T extends CommandType>(type: T, ...[data, { timeoutMs } = {}]: SendArguments<T>) =>
      new Promise<SendResult<T>>(resolve => {
        // `readReply` lets only what fits the command through.
        const onEnd = resolve as (result: SendResult) => void
        core.request({ type, timeoutMs, onEnd }, data ?? {})
      }),
    history: sendOptions => readHistory(core, sendOptions),
    on: listeners.on,
    onAny: listeners.onAny,
    onStatus: statuses.add,
    close() {
      core.pending.lost('by this client')
      connection.close(1000, 'The client was closed.')
    },
  }
}

interface Core {
  readonly connection: ReconnectingConnection
  readonly listeners: EventListeners
  readonly statuses: Listeners<ClientStatus>
  readonly pending: Pending
  readonly parser: HistoryParser
  readonly handshakes: HandshakeSession
  readonly order: EventOrder
  readonly opened: Promise<OpenResult>
  readonly request: (command: Omit<PendingCommand, 'id'>, data: unknown) => void
}

function createCore(connect: Connect, options: ClientOptions, settings: ClientSettings): Core {
  const newId = createIds(settings.random)
  const listeners = createEventListeners(settings.onListenerError)
  const statuses = createListeners<ClientStatus>(error => settings.onListenerError(error, undefined))
  const pending = createPending(settings.timers)
  const parser = createHistoryParser(settings.onMalformed)

  let shutdownSent = false

  const deliver = (event: ServerEvent): void => {
    if (connection.status.state === 'closed') return
    if (!pending.isInternal(event)) listeners.emit(event)
    pending.offer(event)
  }
  const request: Core['request'] = (command, data) => {
    if (connection.status.state !== 'open') return command.onEnd(notConnected(connection.status))
    const id = newId()
    if (command.type === 'server.shutdown') shutdownSent = true
    pending.add({ ...command, id })
    connection.send(JSON.stringify({ id, type: command.type, data }))
  }
  const order = createEventOrder(deliver, { since: options.since })
  const handshakes = createHandshakeSession(options, order)
  const catchUp = createCatchUp({
    order,
    deliver,
    parse: parser.parse,
    readJournal: hiddenHistory(request, settings.handshakeTimeoutMs),
    onFailure: failure => connection.drop(`The journal could not be read: ${failure.message}`),
  })
  const onOpen = ({ ready, response }: Greeting): void => {
    deliver(ready)
    catchUp.begin(handshakes.past(response))
  }
  const connection = createReconnectingConnection(
    { connect, newId, ...settings },
    {
      handshake: handshakes.request,
      accept: handshakes.accept,
      onStart: order.hold,
      onOpen,
      onEvent: event => (event.seq === undefined ? deliver(event) : order.take(event, event.seq)),
      onUnknown: parser.onUnknown,
      onMalformed: parser.onMalformed,
      onLost(code) {
        pending.lost(code)
        return shutdownSent && isGoodbye(code)
      },
      onStatus: statuses.emit,
    },
  )
  const opened = firstOpening(statuses, handshakes)
  return { connection, listeners, statuses, pending, parser, handshakes, order, opened, request }
}

/** `history.sync` for the client's own use; listeners do not see the batches. */
function hiddenHistory(request: Core['request'], timeoutMs: number): CatchUpHooks['readJournal'] {
  return (onBatch, onEnd) =>
    request(
      {
        type: 'history.sync',
        internal: true,
        timeoutMs,
        onPart: event => onBatch(event.data.events),
        onEnd,
      },
      {},
    )
}

function readHistory({ parser, request }: Core, options: SendOptions = {}): HistoryQueue['batches'] {
  const queue = createHistoryQueue()
  request(
    {
      type: 'history.sync',
      timeoutMs: options.timeoutMs,
      onPart({ data }) {
        const events = data.events.map(parser.parse).filter(event => event !== undefined)
        queue.push({ ok: true, events, hasMore: data.hasMore })
      },
      onEnd(result) {
        if (!result.ok) queue.push(result)
        queue.end()
      },
    },
    {},
  )
  return queue.batches
}

function firstOpening(statuses: Listeners<ClientStatus>, handshakes: HandshakeSession): Promise<OpenResult> {
  return new Promise(resolve => {
    const remove = statuses.add(status => {
      if (status.state === 'open' && handshakes.session) resolve({ ok: true, ...handshakes.session })
      else if (status.state === 'closed') resolve({ ok: false, code: status.code, reason: status.reason })
      else return
      remove()
    })
  })
}

function notConnected(status: ClientStatus): SendFailure {
  return { ok: false, code: 'NOT_CONNECTED', message: `There is no open connection (${status.state}).` }
}
