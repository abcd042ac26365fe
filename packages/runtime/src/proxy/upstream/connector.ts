import { isIPv6, Socket } from 'node:net'
import { createSecureContext } from 'node:tls'
import type { buildConnector } from 'undici'
import type { OutboundProxy } from './outbound-proxy.ts'
import { trustedCertificates } from './trusted-certificates.ts'
import type { UpstreamAddress } from './upstream-address.ts'

export interface ConnectorOptions {
  readonly upstream: UpstreamAddress
  readonly proxy: OutboundProxy | undefined
  readonly environment: Readonly<Record<string, string | undefined>>
}

type Undici = Pick<typeof import('undici'), 'buildConnector' | 'Client'>
type Connector = buildConnector.connector

/** Longer than any network that works. */
const longestConnect = 60_000

/** Opens connections to the upstream: directly, or through a tunnel of the outbound proxy. */
export function createConnector(
  undici: Undici,
  { upstream, proxy, environment }: ConnectorOptions,
): Connector {
  let connector: Connector | undefined
  // Reading all certificates takes long: only when the first connection needs them.
  const connect: Connector = (options, callback) => {
    connector ??= undici.buildConnector({
      timeout: longestConnect,
      keepAliveInitialDelay: 30_000,
      ...(upstream.isTls && {
        secureContext: createSecureContext({ ca: [...trustedCertificates(environment)] }),
      }),
    })
    connector(options, callback)
  }
  if (!proxy) return connect
  const { isTls, hostname, port, authorization } = proxy
  const address = `${isTls ? 'https' : 'http'}://${isIPv6(hostname) ? `[${hostname}]` : hostname}:${port}`
  const target = `${isIPv6(upstream.hostname) ? `[${upstream.hostname}]` : upstream.hostname}:${upstream.port}`
  return async (options, callback) => {
    try {
      const client = new undici.Client(address, { connect, headersTimeout: longestConnect })
      const headers = {
        host: target,
        ...(authorization !== undefined && { 'proxy-authorization': authorization }),
      }
      const { statusCode, socket } = await client.connect({ path: target, headers })
      if (statusCode === 200 && socket instanceof Socket) {
        connect({ ...options, httpSocket: socket }, callback)
        return
      }
      socket.on('error', () => undefined).destroy()
      callback(new Error(`The outbound proxy answered with ${statusCode}.`), null)
    } catch (error) {
      callback(error instanceof Error ? error : new Error(String(error)), null)
    }
  }
}
