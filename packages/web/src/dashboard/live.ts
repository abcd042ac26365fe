import './without-eval.ts'
import {
  batchExtension,
  type ClientStatus,
  type CommandType,
  connect,
  type SendArguments,
  type SendResult,
  type ServerEvent,
  type WeaveClient,
  weaveExtension,
} from 'weave-client'
import { session } from './session.ts'

/** A connection to the server of one execution, opened because a person looks at it. */
export interface Live {
  readonly send: <T extends CommandType>(type: T, ...rest: SendArguments<T>) => Promise<SendResult<T>>
  readonly close: () => void
}

export interface LiveHooks {
  /** Many at a time, in order; at most every 100 ms. */
  readonly onEvents: (events: readonly ServerEvent[]) => void
  readonly onStatus: (status: ClientStatus) => void
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
  client.onStatus(hooks.onStatus)
  document.addEventListener('visibilitychange', later)
  return {
    send: client.send,
    close() {
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', later)
      client.close()
    },
  }
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
