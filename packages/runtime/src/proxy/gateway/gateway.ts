import { type Clock, type Failure, type Log, type Result, silentLog } from '../../kit/index.ts'
import { startProxy } from '../proxy.ts'
import type { Transport } from '../transport.ts'
import { outboundProxy, readUpstream } from '../upstream/upstream-address.ts'
import { createUpstreamTransport } from '../upstream/upstream-transport.ts'
import { askedOf } from './asked.ts'
import { HeldRequest } from './held-request.ts'
import type { GatewaySeat } from './seat.ts'

export interface GatewayOptions {
  readonly seat: GatewaySeat
  readonly clock: Clock
  readonly log?: Log | undefined
  /** Says which certificates and which proxy to the outside there are. */
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** One way to every provider, on loopback. */
export interface Gateway {
  readonly url: string
  /** The address by which a provider is reached through it, in place of its own. */
  through(provider: string, address: string): string
  /** Cuts what is open. Never rejects. */
  close(): Promise<void>
}

/**
 * Forwards to many providers, each by the first part of the path, and asks its seat about every request. It changes nothing
 * of what passes, like the proxy, whose two ends it uses.
 */
export async function startGateway(options: GatewayOptions): Promise<Result<{ gateway: Gateway }, Failure>> {
  const { clock, environment, log = silentLog } = options
  const routes = createRoutes(options)
  const started = await startProxy({
    port: 0,
    upstream: '',
    transport: routes.transport,
    middleware: [],
    log,
    logLevel: 'warn',
    clock,
    redact: text => text,
    environment,
    allowOtherUsers: false,
  })
  if (!started.ok) return started
  const { url, close } = started.proxy
  const through = (provider: string, address: string): string => url + routes.pathTo(provider, address)
  return { ok: true, gateway: { url, through, close } }
}

interface Place {
  readonly provider: string
  readonly transport: Promise<Transport>
}

function createRoutes({ seat, clock, environment, log = silentLog }: GatewayOptions) {
  const places = new Map<string, Place>()
  const names = new Map<string, string>()
  const open = new Set<Transport>()
  let isClosed = false

  async function connect(origin: string): Promise<Transport> {
    const read = readUpstream(origin)
    if (!read.ok) throw new Error(read.message)
    const found = outboundProxy(read.upstream, environment)
    if (!found.ok) throw new Error(found.message)
    const { proxy } = found
    const transport = await createUpstreamTransport({ upstream: read.upstream, proxy, environment, log })
    if (isClosed) transport.close()
    open.add(transport)
    return transport
  }

  const transport: Transport = {
    send(request, handler) {
      const [, name = '', rest = ''] = /^\/([^/?]*)(.*)$/s.exec(request.target) ?? []
      const place = places.get(name)
      const target = rest.startsWith('/') ? rest : `/${rest}`
      const asked = askedOf(request, { provider: place?.provider ?? '', target })
      const to = place && !dots.test(target) ? place.transport : undefined
      return new HeldRequest({ ...request, target }, handler, { asked, to, seat, clock })
    },
    close() {
      isClosed = true
      for (const each of open) each.close()
    },
  }
  return {
    transport,
    pathTo(provider: string, address: string): string {
      const { origin, pathname } = new URL(address)
      const key = `${provider} ${origin}`
      const known = names.get(key)
      const name = known ?? `${encodeURIComponent(provider)}-${names.size + 1}`
      if (known === undefined) {
        const made = connect(origin)
        // Whoever asks there hears of it.
        made.catch(() => undefined)
        places.set(name, { provider, transport: made })
        names.set(key, name)
      }
      return `/${name}${pathname.replace(/\/+$/, '')}`
    },
  }
}

/** A path that climbs out of where it begins. */
const dots = /^[^?]*\/(?:\.|%2e){1,2}(?:[/?]|$)/i
