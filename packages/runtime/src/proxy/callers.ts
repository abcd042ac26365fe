import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import {
  admitFirst,
  type Clock,
  connectionShare,
  createAdmission,
  createOriginCheck,
  createPeerUserCheck,
  errorCode,
} from '../kit/index.ts'
import { CallerConnection } from './caller-connection.ts'
import type { ExchangeOptions } from './exchange.ts'
import { createHeldBodies } from './request-body.ts'

/** What callers may cost. Tests hand in smaller ones. */
export interface ProxyLimits {
  /** Connections at a time. For one more an idle one goes; when none is idle, it is answered with 503. */
  readonly callers: number
  /** Bytes; a larger body is forwarded as it comes, unread. */
  readonly heldBody: number
  /** Bytes of all bodies together; what would be more is forwarded as it comes, unread. */
  readonly heldBodies: number
  /** How long a head may take from its first byte. */
  readonly headMs: number
}

const mebibyte = 1024 * 1024

export const proxyLimits: ProxyLimits = {
  callers: 128,
  heldBody: 32 * mebibyte,
  heldBodies: 64 * mebibyte,
  headMs: 15_000,
}

export interface CallersOptions {
  readonly exchange: ExchangeOptions
  readonly refusesDots: boolean
  readonly clock: Clock
  /** Lets other users of this machine in; only Linux can tell them apart. */
  readonly allowOtherUsers: boolean
  readonly limits: ProxyLimits
}

/** Everyone who is connected to the proxy. */
export interface Callers {
  /** Serves what connects to this server. */
  serve(server: Server): void
  /** Cuts all connections, and takes no more. */
  close(): void
}

/** A server without any time limit of its own: an idle caller is not disturbed. */
export function createProxyServer(): Server {
  const server = createServer({
    requireHostHeader: false,
    maxHeaderSize: 64 * 1024,
    headersTimeout: 0,
    requestTimeout: 0,
    keepAliveTimeout: 0,
    noDelay: true,
  })
  // Node.js would drop the headers beyond its limit; all are wanted, to be counted.
  server.maxHeadersCount = 0
  return server
}

export function createCallers({ limits, allowOtherUsers, ...options }: CallersOptions): Callers {
  const { clock } = options
  const { log } = options.exchange
  const held = createHeldBodies(limits.heldBodies)
  const connections = new Map<Socket, CallerConnection>()
  const admission = createAdmission({
    // Each caller may need a connection to the upstream as well.
    most: Math.min(limits.callers, connectionShare({ ports: 2, each: 2 }) ?? Number.POSITIVE_INFINITY),
    isOneOfUs: allowOtherUsers ? async () => true : createPeerUserCheck(),
    spare: () => [...connections].find(([, { isIdle }]) => isIdle)?.[0],
    onRefused: because => log.warn('LLM-PROXY', `refused a connection: ${because}`),
  })
  const stopChecking = clock.every(1_000, () => {
    for (const connection of connections.values()) connection.checkHead()
  })

  const connect = (socket: Socket): void => {
    const originCheck = createOriginCheck({ port: socket.localPort ?? 0 })
    const { heldBody: mostHeld, headMs } = limits
    connections.set(socket, new CallerConnection(socket, { ...options, originCheck, held, mostHeld, headMs }))
    socket.once('close', () => connections.delete(socket))
  }
  const take = (request: IncomingMessage, response: ServerResponse): void =>
    connections.get(request.socket)?.take(request, response)
  return {
    serve(server) {
      server.on('connection', connect)
      admitFirst(server, admission)
      server.on('request', take)
      // Without a listener Node.js answers these itself, before our origin check.
      server.on('checkContinue', take)
      server.on('checkExpectation', take)
      server.on('connect', ({ socket }) => connections.get(socket)?.refuseMalformed(405, 'CONNECT'))
      server.on('clientError', (error, socket) => {
        const code = errorCode(error) ?? ''
        const connection = [...connections].find(([each]) => each === socket)?.[1]
        if (!code.startsWith('HPE_') || code === 'HPE_INVALID_EOF_STATE') socket.destroy()
        else if (code === 'HPE_HEADER_OVERFLOW') connection?.refuseMalformed(431, 'a head that is too long')
        else connection?.refuseMalformed(400, 'not proper HTTP')
      })
    },
    close() {
      stopChecking()
      admission.close()
    },
  }
}
