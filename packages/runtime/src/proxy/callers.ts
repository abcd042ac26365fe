import type { Socket } from 'node:net'
import {
  type Clock,
  connectionShare,
  createAdmission,
  createPeerUserCheck,
  createRequestGate,
} from '../kit/index.ts'
import { ClientConnection } from './client-connection.ts'
import { createHeldBodies } from './held-bodies.ts'
import type { PipelineOptions } from './pipeline.ts'

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
  readonly pipeline: PipelineOptions
  readonly refusesDots: boolean
  readonly clock: Clock
  /** Lets other users of this machine in; only Linux can tell them apart. */
  readonly allowOtherUsers: boolean
  readonly limits: ProxyLimits
}

/** Everyone who is connected to the proxy. */
export interface Callers {
  /** A new connection, which nobody has read from. */
  take(socket: Socket): void
  /** Cuts all, and takes no more. */
  close(): void
}

export function createCallers({ limits, allowOtherUsers, ...options }: CallersOptions): Callers {
  const { log } = options.pipeline
  const held = createHeldBodies(limits.heldBodies)
  const connections = new Map<Socket, ClientConnection>()
  const admission = createAdmission({
    // Each caller may need a connection to the upstream as well.
    most: Math.min(limits.callers, connectionShare({ ports: 2, each: 2 }) ?? Number.POSITIVE_INFINITY),
    isOneOfUs: allowOtherUsers ? async () => true : createPeerUserCheck(),
    spare: () => [...connections].find(([, { isIdle }]) => isIdle)?.[0],
    onRefused: because => log.warn('LLM-PROXY', `refused a connection: ${because}`),
  })

  const connect = (socket: Socket): void => {
    const gate = createRequestGate({ port: socket.localPort ?? 0 })
    const { heldBody: mostHeld, headMs } = limits
    connections.set(socket, new ClientConnection(socket, { ...options, gate, held, mostHeld, headMs }))
    socket.once('close', () => connections.delete(socket))
    socket.resume()
  }
  return {
    take: socket => admission.admit(socket, connect),
    close: admission.close,
  }
}
