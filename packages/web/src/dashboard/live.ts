import './without-eval.ts'
import {
  batchExtension,
  type ClientStatus,
  type CommandInput,
  type CommandType,
  connect,
  type SendArguments,
  type SendResult,
  type ServerEvent,
  type WeaveClient,
  weaveExtension,
} from 'weave-client'
import { session } from './session.ts'
import { stateTypes } from './state-events.ts'
import { eventFilterOf, isEmptyFilter, type StreamFilter } from './stream-filter.ts'

/** A connection to the server of one execution, opened because a person looks at it. */
export interface Live {
  readonly send: <T extends CommandType>(type: T, ...rest: SendArguments<T>) => Promise<SendResult<T>>
  /** Who shows a stream hears of everything that fits its filter; without one only what changes the state is sent. */
  readonly show: (filter: StreamFilter | undefined) => void
  readonly close: () => void
}

export interface LiveHooks {
  /** Many at a time, in order; at most every 100 ms. */
  readonly onEvents: (events: readonly ServerEvent[]) => void
  readonly onStatus: (status: ClientStatus) => void
  /** Whether everything that fits the filter of `show` is heard. */
  readonly onHearing: (isHearing: boolean) => void
}

const drawEveryMs = 100
/** As many events wait while nobody looks; the rest is read from the journal afterwards. */
const mostWaiting = 2_000

export function openLive(name: string, hooks: LiveHooks): Live {
  const client = openClient(name)
  let waiting: ServerEvent[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  let flushedAt = Number.NEGATIVE_INFINITY

  const flush = (): void => {
    timer = undefined
    flushedAt = performance.now()
    const events = waiting
    waiting = []
    if (events.length > 0) hooks.onEvents(events)
  }
  const later = (): void => {
    if (document.hidden) return
    // At once after a pause: a server sends many events ten times a second, too.
    timer ??= setTimeout(flush, Math.max(0, flushedAt + drawEveryMs - performance.now()))
  }
  client.onAny(event => {
    waiting.push(event)
    if (waiting.length > mostWaiting * 2) waiting = waiting.slice(-mostWaiting)
    later()
  })
  const selecting = createSelecting(client, hooks.onHearing)
  client.onStatus(status => {
    hooks.onStatus(status)
    selecting.connected(status.state === 'open')
  })
  const onVisibility = (): void => {
    later()
    selecting.apply()
  }
  document.addEventListener('visibilitychange', onVisibility)
  return {
    send: client.send,
    show: selecting.show,
    close() {
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', onVisibility)
      client.close()
    },
  }
}

/**
 * What of the live events this page is sent. One that shows no stream, or that nobody sees, is sent what changes the state: each
 * event more wakes a browser, which takes a core from the run. A server of an older build refuses, and sends everything.
 */
function createSelecting(client: WeaveClient, onHearing: (isHearing: boolean) => void) {
  let shown: StreamFilter | undefined
  let isOpen = false
  /** A new connection is sent everything. */
  let isFresh = true
  let orders = 0
  let isHearing = false
  const hear = (now: boolean): void => {
    if (now !== isHearing) onHearing(now)
    isHearing = now
  }
  const tell = async (filter: StreamFilter | undefined): Promise<void> => {
    hear(false)
    const isAll = filter !== undefined && isEmptyFilter(filter)
    const order = ++orders
    if (isAll && isFresh) return hear(true)
    isFresh = false
    const answer = await client.send('events.select', isAll ? {} : selectionOf(filter))
    const sendsAll = !answer.ok && answer.code === 'UNKNOWN_COMMAND'
    if (order === orders && isOpen) hear(sendsAll || (answer.ok && filter !== undefined))
  }
  const apply = (): void => {
    if (isOpen) void tell(document.hidden ? undefined : shown)
    else hear(false)
  }
  return {
    apply,
    show(filter: StreamFilter | undefined): void {
      shown = filter
      apply()
    },
    connected(now: boolean): void {
      isOpen = now
      isFresh = true
      apply()
    },
  }
}

function selectionOf(filter: StreamFilter | undefined): CommandInput<'events.select'> {
  return { types: [...stateTypes], ...(filter && { filter: eventFilterOf(filter) }) }
}

/** One command to an execution whose page is not open. */
export async function sendOnce<T extends CommandType>(
  name: string,
  type: T,
  ...rest: SendArguments<T>
): Promise<SendResult<T>> {
  const client = openClient(name)
  const opened = await client.opened
  if (!opened.ok) return { ok: false, code: 'NOT_CONNECTED', message: opened.reason }
  const result = await client.send(type, ...rest)
  client.close()
  return result
}

function openClient(name: string): WeaveClient {
  const known = session.peek()
  const { protocol, host } = window.location
  const address = `${protocol === 'https:' ? 'wss:' : 'ws:'}//${host}/e/${encodeURIComponent(name)}/socket`
  const granted =
    known.state === 'open' ? { token: known.token, mode: known.mode } : { mode: 'readonly' as const }
  const extensions = [weaveExtension, `${weaveExtension}-web`, batchExtension]
  return connect(address, { ...granted, extensions, socket: WebSocket, reconnect: { fromStart: true } })
}
