import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  connectionShare,
  createAdmission,
  createDashboard,
  createDesk,
  createOriginCheck,
  createPeerUserCheck,
  createSemaphore,
  executionLayout,
  type Log,
  openPort,
  type Readers,
  type ShownExecutions,
  serveHttp,
  serverLimits,
  systemClock,
} from '@weave/runtime'
import { version } from '../program.ts'
import { pageAssets } from './assets.ts'
import { bridge } from './bridge.ts'
import { type HubFleetOptions, hubFleet } from './hub-fleet.ts'

export interface HubOptions {
  /** Whose executions are shown. */
  readonly base: string
  readonly port: number
  /** Listens there, too. */
  readonly host?: string | undefined
  readonly readonly: boolean
  /** More values of `Host`. */
  readonly allowHosts: readonly string[]
  readonly ownerKey: string
  readonly fleet: Omit<HubFleetOptions, 'isHere'>
  readonly log: Log
  /** The hub's own from here on: it closes them. */
  readonly readers: Readers
}

const mostConnections = 512

/** The hub: pages over all executions below a directory. Shakes hands with none of their servers by itself. */
export async function startHub(options: HubOptions) {
  const { base, readonly, log, ownerKey, readers } = options
  const executions = executionsIn(base)
  // Who starts a hub looks at it next: the list is read while the rest begins.
  void readers.expect({ kind: 'executions', of: executions.all })
  const opened = await openSomewhere(options)
  if (!opened.ok) {
    await readers.close()
    return opened
  }
  const { port, servers } = opened
  const { sockets, connect } = await webSockets()
  const desk = createDesk({ clock: systemClock, readonly, ownerKey })
  const fleet = hubFleet({ ...options.fleet, isHere: name => executions.find(name) !== undefined })
  const facts = { version, hub: true, readonly }
  const assets = await pageAssets()
  const dashboard = createDashboard({ executions, assets, desk, readers, fleet, facts, clock: systemClock })
  let lastAsked = systemClock.monotonic()
  let isClosing = false
  const asked = (): void => {
    lastAsked = systemClock.monotonic()
  }
  const admission = createAdmission({
    most: Math.min(mostConnections, connectionShare({ ports: 1, each: 2 }) ?? mostConnections),
    isOneOfUs: createPeerUserCheck(),
    onRefused: because => log.warn('HUB', `a connection was refused: ${because}`),
  })
  for (const server of servers)
    serveHttp(server, {
      port,
      admission,
      originCheck: createOriginCheck({ port, host: options.host, alsoHosts: options.allowHosts }),
      strangers: createSemaphore({ permits: serverLimits.strangers, waiting: serverLimits.strangers }),
      sockets,
      http: (request, response) => {
        asked()
        return dashboard.http(request, response)
      },
      isPage: dashboard.isPage,
      isClosing: () => isClosing,
      log,
      onSocket: (ws, request, introduced) => {
        asked()
        ws.on('message', asked)
        ws.once('message', introduced)
        bridge(ws, request, { executions, desk, log, connect })
      },
    })
  return {
    ok: true as const,
    port,
    /** The port that was asked for is another program's. */
    isElsewhere: opened.isElsewhere,
    link: (name: string | undefined, printed: boolean) => dashboard.link(port, { name, printed }),
    /** Milliseconds since somebody asked for something. A page that is open asks every half minute. */
    idleMs: () => systemClock.monotonic() - lastAsked,
    async close(): Promise<void> {
      isClosing = true
      for (const client of sockets.clients) client.terminate()
      for (const server of servers) {
        server.close()
        server.closeAllConnections()
      }
      admission.close()
      await readers.close()
      await fleet.close()
    },
  }
}

/** Towards pages, and towards the servers of executions. */
async function webSockets() {
  const { WebSocket, WebSocketServer } = await import('ws')
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: true,
    perMessageDeflate: false,
    maxPayload: serverLimits.messageBytes,
  })
  const connect = (url: string) => new WebSocket(url, { perMessageDeflate: false, maxPayload: longestFrame })
  return { sockets, connect }
}

/** A server sends whole histories in a frame. */
const longestFrame = 256 << 20

/** When the port is taken, the system chooses another. */
async function openSomewhere({ port, host }: HubOptions) {
  const wanted = await openPort({ port, host })
  if (wanted.ok) return { ...wanted, isElsewhere: false }
  if (port === 0) return wanted
  const other = await openPort({ port: 0, host })
  return other.ok ? { ...other, isElsewhere: true } : wanted
}

/** A name is one folder below the base directory, and nothing else. */
function executionsIn(base: string): ShownExecutions {
  return {
    all: { base },
    find(name) {
      if (name === '' || name.startsWith('.') || /[/\\\0]/.test(name)) return undefined
      const dir = join(base, name)
      return existsSync(executionLayout(dir).internals) ? { name, dir } : undefined
    },
  }
}
