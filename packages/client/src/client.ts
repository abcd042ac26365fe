import type { CommandType, ServerEvent } from '@weave/protocol'
import { type CatchUpHooks, createCatchUp } from './catch-up.ts'
import { type ClientOptions, type ClientSettings, withDefaults } from './client-options.ts'
import type { Greeting } from './connection.ts'
import { createEventListeners, type EventListeners } from './event-listeners.ts'
import { createGreeter, type Greeter } from './greeter.ts'
import { createHistoryQueue, type HistoryQueue } from './history.ts'
import { createIds } from './ids.ts'
import { type ClientStatus, createLink, type Link } from './link.ts'
import { createListeners, type Listeners } from './listeners.ts'
import { createPastReader, type PastReader } from './past-reader.ts'
import { createPending, isGoodbye, type Pending, type PendingCommand } from './pending.ts'
import type { SendFailure, SendResult } from './reply.ts'
import { createSequence, type Sequence } from './sequence.ts'
import type { Connect } from './transport.ts'
import type { OpenResult, SendArguments, SendOptions, WeaveClient } from './weave-client.ts'

/** Starts connecting at once and returns at once; nothing is delivered before the caller's tick is over. */
export function createClient(connect: Connect, options: ClientOptions): WeaveClient {
  const settings = withDefaults(options)
  const core = createCore(connect, options, settings)
  const { link, listeners, statuses, reader, greeter, sequence } = core
  return {
    get status() {
      return link.status
    },
    get mode() {
      return greeter.session?.mode
    },
    get clientId() {
      return greeter.session?.clientId
    },
    get totalEvents() {
      return greeter.session?.totalEvents
    },
    get journalSeq() {
      return greeter.session?.journalSeq
    },
    get lastSeq() {
      return sequence.lastSeq
    },
    get unknownEvents() {
      return reader.unknownEvents
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
      link.close(1000, 'The client was closed.')
    },
  }
}

interface Core {
  readonly link: Link
  readonly listeners: EventListeners
  readonly statuses: Listeners<ClientStatus>
  readonly pending: Pending
  readonly reader: PastReader
  readonly greeter: Greeter
  readonly sequence: Sequence
  readonly opened: Promise<OpenResult>
  readonly request: (command: Omit<PendingCommand, 'id'>, data: unknown) => void
}

function createCore(connect: Connect, options: ClientOptions, settings: ClientSettings): Core {
  const newId = createIds(settings.random)
  const listeners = createEventListeners(settings.onListenerError)
  const statuses = createListeners<ClientStatus>(error => settings.onListenerError(error, undefined))
  const pending = createPending(settings.timers)
  const reader = createPastReader(settings.onMalformed)

  let shutdownSent = false

  const deliver = (event: ServerEvent): void => {
    if (link.status.state === 'closed') return
    if (!pending.isInternal(event)) listeners.tell(event)
    pending.offer(event)
  }
  const request: Core['request'] = (command, data) => {
    if (link.status.state !== 'open') return command.onEnd(notConnected(link.status))
    const id = newId()
    if (command.type === 'server.shutdown') shutdownSent = true
    pending.add({ ...command, id })
    link.send(JSON.stringify({ id, type: command.type, data }))
  }
  const sequence = createSequence(deliver, { since: options.since })
  const greeter = createGreeter(options, sequence)
  const catchUp = createCatchUp({
    sequence,
    deliver,
    parse: reader.parse,
    readJournal: hiddenHistory(request, settings.handshakeTimeoutMs),
    onFailure: failure => link.drop(`The journal could not be read: ${failure.message}`),
  })
  const onOpen = ({ ready, response }: Greeting): void => {
    deliver(ready)
    catchUp.begin(greeter.past(response))
  }
  const link = createLink(
    { connect, newId, ...settings },
    {
      handshake: greeter.request,
      accept: greeter.accept,
      onStart: sequence.hold,
      onOpen,
      onEvent: event => (event.seq === undefined ? deliver(event) : sequence.take(event, event.seq)),
      onUnknown: reader.onUnknown,
      onMalformed: reader.onMalformed,
      onLost(code) {
        pending.lost(code)
        return shutdownSent && isGoodbye(code)
      },
      onStatus: statuses.tell,
    },
  )
  const opened = firstOpening(statuses, greeter)
  return { link, listeners, statuses, pending, reader, greeter, sequence, opened, request }
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

function readHistory({ reader, request }: Core, options: SendOptions = {}): HistoryQueue['batches'] {
  const queue = createHistoryQueue()
  request(
    {
      type: 'history.sync',
      timeoutMs: options.timeoutMs,
      onPart({ data }) {
        const events = data.events.map(reader.parse).filter(event => event !== undefined)
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

function firstOpening(statuses: Listeners<ClientStatus>, greeter: Greeter): Promise<OpenResult> {
  return new Promise(resolve => {
    const remove = statuses.add(status => {
      if (status.state === 'open' && greeter.session) resolve({ ok: true, ...greeter.session })
      else if (status.state === 'closed') resolve({ ok: false, code: status.code, reason: status.reason })
      else return
      remove()
    })
  })
}

function notConnected(status: ClientStatus): SendFailure {
  return { ok: false, code: 'NOT_CONNECTED', message: `There is no open connection (${status.state}).` }
}
