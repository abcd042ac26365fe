import type { IncomingMessage } from 'node:http'
import {
  type Desk,
  executionLayout,
  isOfAgent,
  type Log,
  readLock,
  type ShownExecutions,
  serverLimits,
  systemClock,
} from '@weave/runtime'
import type { RawData, WebSocket } from 'ws'

export interface BridgeOptions {
  readonly executions: ShownExecutions
  readonly desk: Desk
  readonly log: Log
  /** A client of our own. */
  readonly connect: (url: string) => WebSocket
}

/**
 * Between a page and the server of the execution that it shows. Nothing is said to a server before a person's page has said
 * its first word: the first handshake starts a run that waits for it. Then frames go through as they are.
 */
export function bridge(ws: WebSocket, request: IncomingMessage, options: BridgeOptions): void {
  const name = nameIn(request.url ?? '')
  const end = (code: number, reason: string): void => {
    // Its goodbye must be heard.
    ws.resume()
    ws.close(code, reason)
  }
  const patience = new AbortController()
  systemClock.sleep(serverLimits.handshakeMs, patience.signal).then(
    () => end(1008, 'No handshake in time.'),
    () => undefined,
  )
  ws.on('error', () => ws.terminate())
  ws.once('close', () => patience.abort())
  ws.once('message', (data, isBinary) => {
    patience.abort()
    // What comes next waits until there is somebody to give it to; what was read with it comes all the same.
    ws.pause()
    ws.on('message', hold)
    void begin(data, isBinary).catch(() => end(1011, 'Internal error.'))
  })

  const held: Held[] = []
  const hold = (data: RawData, isBinary: boolean): void => {
    if (held.push({ data, isBinary }) > mostHeld) end(1008, 'Too many messages at once.')
  }
  const begin = async (data: RawData, isBinary: boolean): Promise<void> => {
    const greeting = isBinary || !Buffer.isBuffer(data) ? undefined : greetingIn(data.toString('utf8'))
    const mode = options.desk.modeOf(greeting?.token)
    if (!greeting || mode === undefined) {
      refuse(ws, greeting?.id)
      return end(1008, 'The session is missing or has ended.')
    }
    const place = name === undefined ? undefined : options.executions.find(name)
    const lock = place && (await readLock(executionLayout(place.dir).lockFile, systemClock))
    const record = lock?.kind === 'held' ? lock.holder.record : undefined
    if (!record || record.port === 0) return end(1013, 'No run goes on there now.')
    const isReadonly = mode === 'readonly' || (await isOfAgent(request))
    const text = greeting.as({ token: record.token, isReadonly })
    join(ws, options.connect(`ws://127.0.0.1:${record.port}`), () => {
      ws.off('message', hold)
      return [{ data: text, isBinary: false }, ...held]
    })
  }
}

interface Held {
  readonly data: RawData | string
  readonly isBinary: boolean
}

/** Frames that were read together with the first. */
const mostHeld = 256

function nameIn(url: string): string | undefined {
  const [, encoded] = /^\/e\/([^/?]+)\/socket$/.exec(url) ?? []
  try {
    return encoded === undefined ? undefined : decodeURIComponent(encoded)
  } catch {
    return undefined
  }
}

/** As a server says it, so that every client understands. */
function refuse(ws: WebSocket, commandId: string | undefined): void {
  const data = {
    message: 'Your session has ended, or there was none. Open the page with a new link: weave open',
    fatal: false,
    severity: 'operation',
    code: 'INSUFFICIENT_PERMISSIONS',
  }
  const timestamp = systemClock.now().toISOString()
  const id = `hub_${timestamp}`
  ws.send(JSON.stringify({ id, timestamp, type: 'error', ...(commandId && { commandId }), data }))
}

interface Greeting {
  readonly id: string | undefined
  readonly token: string | undefined
  /** With what the server asks for in place of what the page said. */
  as(own: { readonly token: string | undefined; readonly isReadonly: boolean }): string
}

/** Undefined: the first message is no handshake. */
function greetingIn(text: string): Greeting | undefined {
  const message = parsed(text)
  if (!isObject(message) || message['type'] !== 'handshake' || !isObject(message['data'])) return undefined
  const { token, ...rest } = message['data']
  const { id } = message
  return {
    id: typeof id === 'string' ? id : undefined,
    token: typeof token === 'string' ? token : undefined,
    as: own =>
      JSON.stringify({
        ...message,
        data: {
          ...rest,
          ...(own.token !== undefined && { token: own.token }),
          ...(own.isReadonly && { mode: 'readonly' }),
        },
      }),
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** `begin`: what is said first; asked for once, when the server listens. */
function join(page: WebSocket, server: WebSocket, begin: () => readonly Held[]): void {
  const stopPings = keepAlive(page)
  server.once('open', () => {
    for (const { data, isBinary } of begin()) server.send(data, { binary: isBinary })
    pass(page, server)
    page.resume()
  })
  pass(server, page)
  page.once('close', (code, reason) => {
    stopPings()
    close(server, code, reason)
  })
  server.once('close', (code, reason) => close(page, code, reason))
  server.once('error', () => {
    page.resume()
    page.close(1013, 'Its server does not answer.')
  })
}

/** Whoever does not take what is sent to it is sent away, as by the server itself. */
function pass(from: WebSocket, to: WebSocket): void {
  from.on('message', (data, isBinary) => {
    if (to.readyState !== to.OPEN) return
    if (to.bufferedAmount > serverLimits.queueBytes) {
      to.close(1013, 'Too far behind; connect again with since.')
      from.close(1001)
    } else to.send(data, { binary: isBinary })
  })
}

/** Codes that only the other end of a connection can tell are not for a closing frame. */
function close(ws: WebSocket, code: number, reason: Buffer): void {
  if (ws.readyState === ws.CONNECTING || ws.readyState === ws.CLOSED) {
    ws.terminate()
    return
  }
  const isSayable = (code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code)) || code >= 3000
  ws.close(isSayable ? code : 1001, isSayable ? reason : undefined)
}

/** Finds pages that are gone without a word. */
function keepAlive(ws: WebSocket): () => void {
  let isThere = true
  ws.on('pong', () => {
    isThere = true
  })
  return systemClock.every(serverLimits.pingMs, () => {
    if (!isThere) ws.terminate()
    isThere = false
    if (ws.readyState === ws.OPEN) ws.ping()
  })
}
