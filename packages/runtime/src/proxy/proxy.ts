import type { Server } from 'node:http'
import { type Clock, type Listening, type Log, type LogLevel, listen } from '../kit/index.ts'
import { createCallers, createProxyServer, type ProxyLimits, proxyLimits } from './callers.ts'
import { createLogging } from './middleware/logging.ts'
import { type Middleware, stepsOf } from './middleware.ts'
import type { Observe, Transport } from './transport.ts'
import { outboundProxy, readUpstream } from './upstream/upstream-address.ts'
import { createUpstreamTransport } from './upstream/upstream-transport.ts'

export interface ProxyOptions {
  /** Tried first; when another program has it, the system chooses one. */
  readonly port: number
  /** The address of the upstream. */
  readonly upstream: string
  readonly log: Log
  readonly clock: Clock
  readonly logLevel: LogLevel
  readonly redact: (text: string) => string
  /** Says which certificates and which proxy to the outside there are. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly observe?: Observe | undefined
  /** Answers in place of the upstream. */
  readonly transport?: Transport | undefined
  /** Puts something around the way to whoever answers. */
  readonly around?: ((transport: Transport) => Transport) | undefined
  /** In place of the one that logs. */
  readonly middleware?: readonly Middleware[] | undefined
  /** Lets other users of this machine in; only Linux can tell them apart. */
  readonly allowOtherUsers: boolean
  readonly limits?: Partial<ProxyLimits> | undefined
}

export interface RunningProxy {
  readonly port: number
  readonly url: string
  /** Takes no more connections and cuts those that are open, on both sides. Idempotent, never rejects. */
  close(): Promise<void>
}

export type StartedProxy =
  | { readonly ok: true; readonly proxy: RunningProxy }
  | { readonly ok: false; readonly message: string; readonly cure: string }

const tag = 'LLM-PROXY'

/** Starts the proxy on loopback. It has one mode, passing through, and no idle timeout. */
export async function startProxy(options: ProxyOptions): Promise<StartedProxy> {
  const { log, redact, logLevel: level, observe } = options
  const made = options.transport
    ? { ok: true as const, transport: options.transport, refusesDots: false }
    : await transportFor(options)
  if (!made.ok) return made
  const { refusesDots } = made
  const transport = options.around?.(made.transport) ?? made.transport
  const middleware = options.middleware ?? [createLogging({ log, redact, level, clock: options.clock })]
  const exchange = { steps: stepsOf(middleware), transport, observe, log }
  const { clock, allowOtherUsers } = options
  const limits = { ...proxyLimits, ...options.limits }
  const callers = createCallers({ exchange, refusesDots, clock, allowOtherUsers, limits })
  const listening = await listenNear(options.port)
  if (!listening.ok) {
    callers.close()
    transport.close()
    return {
      ok: false,
      message: `The proxy cannot listen on this machine (${listening.code}).`,
      cure: 'Run without --proxy, or find out what keeps it from listening on 127.0.0.1.',
    }
  }
  const { port, servers } = listening
  for (const server of servers) callers.serve(server)
  log.info(tag, `listening at http://localhost:${port}, passing through to ${options.upstream}`)
  const stop = async (): Promise<void> => {
    const closed = servers.map(server => new Promise<void>(resolve => server.close(() => resolve())))
    callers.close()
    transport.close()
    await Promise.all(closed)
    for (const each of middleware) each.close?.()
    log.info(tag, 'stopped')
  }
  let stopping: Promise<void> | undefined
  return {
    ok: true,
    proxy: {
      port,
      url: `http://localhost:${port}`,
      close() {
        stopping ??= stop()
        return stopping
      },
    },
  }
}

/** The preferred port, or one that the system chooses when that one is taken. */
async function listenNear(preferred: number): Promise<Listening<Server>> {
  const create = createProxyServer
  const opened = await listen({ port: preferred > 65_535 ? 0 : preferred, create })
  return opened.ok || opened.code !== 'EADDRINUSE' ? opened : listen({ port: 0, create })
}

/** The port that would be opened now. Nothing stays open. */
export async function tryPort(
  preferred: number,
): Promise<{ readonly ok: true; readonly port: number } | { readonly ok: false; readonly code: string }> {
  const opened = await listenNear(preferred)
  if (!opened.ok) return opened
  await Promise.all(opened.servers.map(server => new Promise<void>(resolve => server.close(() => resolve()))))
  return { ok: true, port: opened.port }
}

async function transportFor({ upstream: address, environment, log }: ProxyOptions) {
  const read = readUpstream(address)
  if (!read.ok)
    return {
      ok: false as const,
      message: read.message,
      cure: 'Set vendorBaseUrl or --vendor-base-url to an address such as https://api.anthropic.com.',
    }
  const { upstream } = read
  const found = outboundProxy(upstream, environment)
  if (!found.ok)
    return {
      ok: false as const,
      message: found.message,
      cure: 'Correct it, or add the upstream to NO_PROXY.',
    }
  const { proxy } = found
  return {
    ok: true as const,
    transport: await createUpstreamTransport({ upstream, proxy, environment, log }),
    refusesDots: upstream.prefix !== '',
  }
}
