import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { WebSocket, WebSocketServer } from 'ws'
import type { Admission, Log, RequestGate, Semaphore } from '../kit/index.ts'
import { answerRequest, answerUpgrade, forbidden, tooMany, upgradeRequired } from './http-answer.ts'

/**
 * Every connection of the port comes through here: first its user, then the gate for each request, then what was asked.
 */
export interface DoorOptions {
  readonly port: number
  readonly admission: Admission
  readonly gate: RequestGate
  /** Connections that have not shaken hands take one each. */
  readonly strangers: Semaphore
  readonly sockets: WebSocketServer
  readonly http: (request: IncomingMessage, response: ServerResponse) => boolean
  readonly isClosing: () => boolean
  readonly log: Log
  /** `introduced` is to be called when the connection has shaken hands or is gone. */
  readonly onSocket: (ws: WebSocket, request: IncomingMessage, introduced: () => void) => void
}

export function openDoor(server: Server, options: DoorOptions): void {
  admitFirst(server, options.admission)
  const request = (incoming: IncomingMessage, response: ServerResponse): void => {
    try {
      answerPlain(options, incoming, response)
    } catch (error) {
      fault(options, incoming)(error)
    }
  }
  server.on('request', request)
  // Unheard, these two are answered before the gate was asked.
  server.on('checkContinue', request)
  server.on('checkExpectation', request)
  server.on('upgrade', (incoming, socket, head) => {
    // From here on nobody else listens for errors of this socket.
    socket.on('error', () => socket.destroy())
    void answerSocket(options, incoming, { socket, head }).catch(fault(options, incoming))
  })
  server.on('error', error => options.log.error('SERVER', 'the listener failed', { error: error.message }))
}

/** The server's own listeners, which begin to read a connection, hear of it when it is admitted. */
function admitFirst(server: Server, admission: Admission): void {
  const own = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', socket =>
    admission.admit(socket, () => {
      for (const listener of own) Reflect.apply(listener, server, [socket])
    }),
  )
}

function answerPlain(options: DoorOptions, request: IncomingMessage, response: ServerResponse): void {
  if (!mayPass(options, request)) answerRequest(response, forbidden)
  else if (options.isClosing()) answerRequest(response, tooMany)
  else if (!options.http(request, response)) answerRequest(response, upgradeRequired(options.port))
}

interface Upgrade {
  readonly socket: Duplex
  readonly head: Buffer
}

async function answerSocket(
  options: DoorOptions,
  request: IncomingMessage,
  { socket, head }: Upgrade,
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

function mayPass({ gate, log }: DoorOptions, { rawHeaders }: IncomingMessage): boolean {
  const refusal = gate(name => valuesOf(rawHeaders, name))
  if (refusal === undefined) return true
  log.warn('SERVER', 'a request was refused', { because: refusal })
  return false
}

/** `raw` is name, value, name, value, as they came. */
function valuesOf(raw: readonly string[], name: string): readonly string[] {
  return raw.filter((_, at) => at % 2 === 1 && raw[at - 1]?.toLowerCase() === name)
}

function fault({ log }: DoorOptions, { socket }: IncomingMessage): (error: unknown) => void {
  return error => {
    log.error('SERVER', 'a request could not be answered', { error: String(error) })
    socket.destroy()
  }
}
