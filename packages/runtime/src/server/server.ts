import { once } from 'node:events'
import type { Server } from 'node:http'
import type { DirectType, EventData, ExtensionType } from '@weave/protocol'
import type { WebSocketServer } from 'ws'
import {
  connectionShare,
  createAdmission,
  createOriginCheck,
  createPeerUserCheck,
  createSemaphore,
  type Failure,
  inTime,
  messageOf,
  type Result,
  silentLog,
} from '../kit/index.ts'
import { type Broadcast, createBroadcast } from './broadcast.ts'
import { acceptSockets } from './connection.ts'
import { createEnvelopes } from './direct-sender.ts'
import { textFrames } from './frames.ts'
import { createTokenCheck } from './handshake.ts'
import { createEventHistory } from './history.ts'
import { openPort, serveHttp } from './http-entry.ts'
import { keepAlive } from './keepalive.ts'
import { noticingClose, type Peer } from './peer.ts'
import { limits as defaultLimits, type Limits, type ServerOptions, type Services } from './services.ts'

export interface RunningServer {
  readonly port: number
  readonly url: string
  /** Tells every client that asked for extensions something that is not journaled. */
  announce<T extends ExtensionType & DirectType>(type: T, data: EventData<T>): void
  /** How many have shaken hands. */
  clients(): number
  /**
   * Takes no more connections, sends what is queued, says goodbye and ends all sockets. Never rejects, takes seconds at
   * the most; calling it again waits for the same.
   */
  close(reason: string, code?: GoodbyeCode): Promise<void>
}

/** Done; going away; failed inside; back soon. */
type GoodbyeCode = 1000 | 1001 | 1011 | 1012

export type StartedServer = Result<{ readonly server: RunningServer }, Failure>

export async function startServer(options: ServerOptions): Promise<StartedServer> {
  const limits = { ...defaultLimits, ...options.limits }
  if (options.host !== undefined && options.token === undefined)
    return {
      ok: false,
      message: `Listening on ${options.host} lets others than this machine in, and they would need no token.`,
      cure: 'Give a token with --token or WEAVE_TOKEN, or leave --host out.',
    }
  const broadcast = tryBroadcast(options)
  if (!broadcast.ok) return broadcast
  const { WebSocket, WebSocketServer } = await import('ws')
  const listening = await openPort(options)
  if (!listening.ok) {
    broadcast.broadcast.close()
    return listening
  }
  const sockets = new WebSocketServer({ ...receiving(limits), WebSocket: noticingClose(WebSocket) })
  const server = run(options, { ...listening, ...broadcast, limits, sockets })
  warnOfHost(options)
  return { ok: true, server }
}

/** In the journal, so that everyone who sees this run sees who else may. */
function warnOfHost({ host, journal, log = silentLog }: ServerOptions): void {
  if (host === undefined) return
  const message = `The server also listens on ${host}. Whoever reaches it there and knows the token can see and steer this run, and nothing on the way is encrypted.`
  try {
    journal.append('error', { message, fatal: false, severity: 'warning' })
  } catch (error) {
    log.warn('SERVER', message, { journal: String(error) })
  }
}

function tryBroadcast({ journal, hides }: ServerOptions): Result<{ readonly broadcast: Broadcast }, Failure> {
  try {
    return { ok: true, broadcast: createBroadcast(journal, hides) }
  } catch (error) {
    const cure = 'Without its journal nothing can be told: see that its disk can be written.'
    return { ok: false, message: messageOf(error), cure }
  }
}

/** How `ws` reads. It sends nothing by itself but closing frames, so that all else goes through the outbox. */
function receiving(limits: Limits) {
  return {
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    autoPong: false,
    maxPayload: limits.messageBytes,
    maxFragments: limits.fragments,
    maxBufferedChunks: 4_096,
    closeTimeout: limits.farewellMs,
  }
}

interface Parts {
  readonly port: number
  readonly servers: readonly Server[]
  readonly sockets: WebSocketServer
  readonly broadcast: Broadcast
  readonly limits: Limits
}

function run(options: ServerOptions, parts: Parts): RunningServer {
  const { clock, log = silentLog, idleTimeoutSeconds } = options
  const { port, servers, sockets, broadcast, limits } = parts
  const services = servicesOf(options, parts)
  const peers = new Set<Peer>()
  let closing: Promise<void> | undefined
  const admission = createAdmission({
    most: Math.min(
      2 * limits.clients + limits.strangers,
      connectionShare({ ports: 2, each: 1 }) ?? Number.POSITIVE_INFINITY,
    ),
    isOneOfUs: options.allowOtherUsers ? async () => true : createPeerUserCheck(),
    onRefused: because => log.warn('SERVER', `a connection was refused: ${because}`),
  })
  const entry = {
    port,
    admission,
    originCheck: createOriginCheck({ port, host: options.host }),
    strangers: createSemaphore({ permits: limits.strangers, waiting: limits.clients }),
    sockets,
    http: options.http ?? (() => false),
    isPage: options.isPage,
    isClosing: () => closing !== undefined,
    log,
    onSocket: acceptSockets(services, peers),
  }
  for (const server of servers) serveHttp(server, entry)
  const stopKeepalive = keepAlive({ peers, clock, pingMs: limits.pingMs, idleTimeoutSeconds })

  const waitFor = (work: readonly Promise<void>[]) => inTime(Promise.all(work), { clock, ms: limits.closeMs })
  const shut = (reason: string, code: GoodbyeCode): Promise<void> => {
    stopKeepalive()
    broadcast.close()
    for (const server of servers) server.close()
    return endConnections(peers, peer => peer.close(code, reason), waitFor)
      .then(() => {
        for (const server of servers) server.closeAllConnections()
      })
      .finally(admission.close)
  }
  return {
    port,
    url: `ws://localhost:${port}`,
    announce(type, data) {
      if (broadcast.size === 0) return
      broadcast.settle()
      const frames = [textFrames([services.envelopes.text(type, data)])]
      for (const member of broadcast.members) if (member.wantsExtensions) member.send(frames)
    },
    clients: () => broadcast.size,
    close(reason, code = 1001) {
      closing ??= shut(reason, code)
      return closing
    },
  }
}

/** Readers of the journal's files at a time: each holds a few megabytes. */
const readersAtOnce = 4

function servicesOf(options: ServerOptions, { broadcast, limits }: Parts): Services {
  const { journal, clock, redactor } = options
  const readers = createSemaphore({ permits: readersAtOnce })
  return {
    ...options,
    log: options.log ?? silentLog,
    limits,
    isTrusted: createTokenCheck(options.token),
    broadcast,
    envelopes: createEnvelopes(clock, redactor),
    readers,
    eventHistory: createEventHistory({
      history: journal.history,
      readers,
      maxEvents: limits.historyEvents,
      maxBytes: limits.historyBytes,
    }),
  }
}

/** Lets everyone have what is queued for them, says goodbye, and cuts off who does not go. */
async function endConnections(
  peers: ReadonlySet<Peer>,
  sayGoodbye: (peer: Peer) => void,
  waitFor: (work: readonly Promise<void>[]) => Promise<unknown>,
): Promise<void> {
  await waitFor([...peers].map(peer => peer.drained()))
  for (const peer of peers) sayGoodbye(peer)
  await waitFor([...peers].map(goneFrom))
  for (const peer of peers) peer.cut()
  await waitFor([...peers].map(goneFrom))
}

async function goneFrom({ gone }: Peer): Promise<void> {
  if (!gone.aborted) await once(gone, 'abort')
}
