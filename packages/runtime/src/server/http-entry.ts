import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { WebSocket, WebSocketServer } from 'ws'
import {
  type Admission,
  admitFirst,
  type Failure,
  type Log,
  listen,
  type OriginCheck,
  type Semaphore,
} from '../kit/index.ts'

interface ListenOptions {
  /** 0: whichever is free. */
  readonly port: number
  readonly host?: string | undefined
}

/** Listens on loopback, and on `host` if there is one. The servers have no handlers yet. */
export async function openPort(options: ListenOptions) {
  const { port, host } = options
  const listening = await listen({ port, host, create: () => createServer(serverOptions) })
  return listening.ok ? listening : { ok: false as const, ...explain(options, listening.code) }
}

/** A missing `Host` is answered by the origin check; whoever sends no request is not waited for. */
const serverOptions = {
  requireHostHeader: false,
  headersTimeout: 10_000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 2_000,
  keepAliveTimeout: 5_000,
} as const

function explain({ port, host }: ListenOptions, code: string): Failure {
  const place = host === undefined ? `port ${port}` : `port ${port} of ${host}`
  if (code === 'EADDRINUSE')
    return {
      message: `The server cannot listen on ${place}: another program does.`,
      cure: 'End that program, choose another port with --port, or let the system choose with --port 0.',
    }
  if (code === 'EACCES')
    return {
      message: `The server may not listen on ${place}.`,
      cure: 'Ports below 1024 are reserved: choose a higher one with --port, or --port 0.',
    }
  return {
    message: `The server cannot listen on ${place} (${code}).`,
    cure: 'Choose another port with --port, and an address of this machine if you gave --host.',
  }
}

/** What someone hears who is refused, or who came without a WebSocket. The connection ends with it. */
interface HttpAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Nothing that would tell a stranger what is here. */
const forbidden: HttpAnswer = { status: 403, headers: {}, body: '' }

const tooMany: HttpAnswer = json(503, {
  error: 'Service Unavailable',
  message: 'The server is full or closing. Try again later.',
})

function upgradeRequired(port: number): HttpAnswer {
  const answer = json(426, {
    error: 'Upgrade Required',
    message: `This port speaks WebSocket: connect to ws://localhost:${port}`,
  })
  return { ...answer, headers: { ...answer.headers, upgrade: 'websocket' } }
}

function answerRequest(response: ServerResponse, answer: HttpAnswer): void {
  response.writeHead(answer.status, headersOf(answer)).end(answer.body)
}

/** For a request to upgrade, of which only the bare socket is left. */
function answerUpgrade(socket: Duplex, answer: HttpAnswer): void {
  const lines = Object.entries(headersOf(answer)).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.once('finish', () => socket.destroy())
  socket.end(
    `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? ''}\r\n${lines.join('')}\r\n${answer.body}`,
  )
}

function headersOf({ headers, body }: HttpAnswer): Readonly<Record<string, string>> {
  return { connection: 'close', 'content-length': String(Buffer.byteLength(body)), ...headers }
}

function json(status: number, body: object): HttpAnswer {
  return {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
    body: `${JSON.stringify(body)}\n`,
  }
}

/** Every connection of the port comes through here: first its user, then the origin of each request, then what was asked. */
export interface HttpEntryOptions {
  readonly port: number
  readonly admission: Admission
  readonly originCheck: OriginCheck
  /** Connections that have not shaken hands take one each. */
  readonly strangers: Semaphore
  readonly sockets: WebSocketServer
  readonly http: (request: IncomingMessage, response: ServerResponse) => boolean
  /** Whether a request is for a page without data, where a link from elsewhere may lead. */
  readonly isPage?: ((request: IncomingMessage) => boolean) | undefined
  readonly isClosing: () => boolean
  readonly log: Log
  /** `introduced` is to be called when the connection has shaken hands or is gone. */
  readonly onSocket: (ws: WebSocket, request: IncomingMessage, introduced: () => void) => void
}

export function serveHttp(server: Server, options: HttpEntryOptions): void {
  admitFirst(server, options.admission)
  const request = (incoming: IncomingMessage, response: ServerResponse): void => {
    try {
      answerPlain(options, incoming, response)
    } catch (error) {
      fault(options, incoming)(error)
    }
  }
  server.on('request', request)
  // Without a listener Node.js answers these itself, before our origin check.
  server.on('checkContinue', request)
  server.on('checkExpectation', request)
  server.on('upgrade', (incoming, socket, head) => {
    // From here on nobody else listens for errors of this socket.
    socket.on('error', () => socket.destroy())
    void answerSocket(options, incoming, { socket, head }).catch(fault(options, incoming))
  })
  server.on('error', error => options.log.error('SERVER', 'the listener failed', { error: error.message }))
}

function answerPlain(options: HttpEntryOptions, request: IncomingMessage, response: ServerResponse): void {
  if (!mayPass(options, request)) answerRequest(response, forbidden)
  else if (options.isClosing()) answerRequest(response, tooMany)
  else if (!options.http(request, response)) answerRequest(response, upgradeRequired(options.port))
}

async function answerSocket(
  options: HttpEntryOptions,
  request: IncomingMessage,
  { socket, head }: { readonly socket: Duplex; readonly head: Buffer },
): Promise<void> {
  if (!mayPass(options, request)) return answerUpgrade(socket, forbidden)
  if (request.headers.upgrade?.toLowerCase() !== 'websocket')
    return answerUpgrade(socket, upgradeRequired(options.port))
  const introduced = await options.strangers.acquire()
  if (!introduced) return answerUpgrade(socket, tooMany)
  socket.once('close', introduced)
  // While it waited the socket may have closed, and its event is over.
  if (socket.destroyed) return introduced()
  if (options.isClosing()) return answerUpgrade(socket, tooMany)
  options.sockets.handleUpgrade(request, socket, head, ws => options.onSocket(ws, request, introduced))
}

function mayPass({ originCheck, isPage, log }: HttpEntryOptions, request: IncomingMessage): boolean {
  const isUpgrade = request.headers.upgrade !== undefined
  const refusal = originCheck(name => valuesOf(request.rawHeaders, name), {
    isPage: !isUpgrade && (isPage?.(request) ?? false),
  })
  if (refusal === undefined) return true
  log.warn('SERVER', 'a request was refused', { because: refusal })
  return false
}

/** `raw` is name, value, name, value, as they came. */
function valuesOf(raw: readonly string[], name: string): readonly string[] {
  return raw.filter((_, at) => at % 2 === 1 && raw[at - 1]?.toLowerCase() === name)
}

function fault({ log }: HttpEntryOptions, { socket }: IncomingMessage): (error: unknown) => void {
  return error => {
    log.error('SERVER', 'a request could not be answered', { error: String(error) })
    socket.destroy()
  }
}
