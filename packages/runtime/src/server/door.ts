import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { WebSocket, WebSocketServer } from 'ws'
import type { Log } from '../kit/index.ts'
import type { Gate } from './gate.ts'
import { answerRequest, answerUpgrade, forbidden, tooMany, upgradeRequired } from './http-answer.ts'
import type { PeerUserCheck } from './peer-user.ts'
import type { Turns } from './turns.ts'

/**
 * Every request of the port comes through here: first the gate, then the user at the other end, then what was asked.
 */
export interface DoorOptions {
  readonly port: number
  readonly gate: Gate
  readonly isOneOfUs: PeerUserCheck
  /** Connections that have not shaken hands take one each. */
  readonly strangers: Turns
  readonly sockets: WebSocketServer
  readonly http: (request: IncomingMessage, response: ServerResponse) => boolean
  readonly isClosing: () => boolean
  readonly log: Log
  /** `introduced` is to be called when the connection has shaken hands or is gone. */
  readonly onSocket: (ws: WebSocket, request: IncomingMessage, introduced: () => void) => void
}

export function openDoor(server: Server, options: DoorOptions): void {
  const request = (incoming: IncomingMessage, response: ServerResponse): void =>
    void answerPlain(options, incoming, response).catch(fault(options, incoming))
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

async function answerPlain(
  options: DoorOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (!(await mayPass(options, request))) return answerRequest(response, forbidden)
  if (options.isClosing()) return answerRequest(response, tooMany)
  if (options.http(request, response)) return
  answerRequest(response, upgradeRequired(options.port))
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
  if (!(await mayPass(options, request))) return answerUpgrade(socket, forbidden)
  if (request.headers.upgrade?.toLowerCase() !== 'websocket')
    return answerUpgrade(socket, upgradeRequired(options.port))
  const introduced = await options.strangers.take()
  if (!introduced) return answerUpgrade(socket, tooMany)
  socket.once('close', introduced)
  // While it waited the socket may have closed, and its event is over.
  if (socket.destroyed) return introduced()
  if (options.isClosing()) return answerUpgrade(socket, tooMany)
  options.sockets.handleUpgrade(request, socket, head, ws => options.onSocket(ws, request, introduced))
}

async function mayPass(options: DoorOptions, request: IncomingMessage): Promise<boolean> {
  const refusal = options.gate(request.rawHeaders)
  if (refusal !== undefined) {
    options.log.warn('SERVER', 'a request was refused', { because: refusal })
    return false
  }
  if (await options.isOneOfUs(request.socket)) return true
  options.log.warn('SERVER', 'a request of another user of this machine was refused')
  return false
}

function fault({ log }: DoorOptions, { socket }: IncomingMessage): (error: unknown) => void {
  return error => {
    log.error('SERVER', 'a request could not be answered', { error: String(error) })
    socket.destroy()
  }
}
