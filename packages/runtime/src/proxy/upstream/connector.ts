import { isIP, connect as netConnect, type Socket } from 'node:net'
import { createSecureContext, type SecureContext, connect as tlsConnect } from 'node:tls'
import type { OutboundProxy } from './outbound-proxy.ts'
import { trustedCertificates } from './trusted-certificates.ts'
import { openTunnel } from './tunnel.ts'
import type { UpstreamAddress } from './upstream-address.ts'

export interface ConnectorOptions {
  readonly upstream: UpstreamAddress
  readonly proxy: OutboundProxy | undefined
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** Opens one more connection to the upstream. Rejects with the system's error; a socket that came to nothing is ended. */
export type Connector = () => Promise<Socket>

/** Longer than any network that works. */
const longestConnect = 60_000

const socketOptions = { noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000 } as const

export function createConnector({ upstream, proxy, environment }: ConnectorOptions): Connector {
  let context: SecureContext | undefined
  // Reading all certificates takes long: only when the first connection needs them.
  const secure = (): SecureContext => {
    context ??= createSecureContext({ ca: [...trustedCertificates(environment)] })
    return context
  }
  const over = (name: string, place: { readonly port: number } | { readonly socket: Socket }): Socket =>
    tlsConnect({
      ...socketOptions,
      ...place,
      host: name,
      servername: isIP(name) === 0 ? name : '',
      secureContext: secure(),
      ALPNProtocols: ['http/1.1'],
    })
  const plain = ({ hostname, port }: { readonly hostname: string; readonly port: number }): Socket =>
    netConnect({ ...socketOptions, host: hostname, port })

  return async () => {
    if (!upstream.isTls) return ready(plain(upstream), 'connect')
    if (!proxy) return ready(over(upstream.hostname, upstream), 'secureConnect')
    const first = proxy.isTls
      ? await ready(over(proxy.hostname, proxy), 'secureConnect')
      : await ready(plain(proxy), 'connect')
    const name = isIP(upstream.hostname) === 6 ? `[${upstream.hostname}]` : upstream.hostname
    const socket = await openTunnel(first, `${name}:${upstream.port}`, proxy)
    return ready(over(upstream.hostname, { socket }), 'secureConnect')
  }
}

function ready(socket: Socket, event: 'connect' | 'secureConnect'): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const settle = (error?: Error): void => {
      socket.setTimeout(0)
      socket.off(event, settle)
      socket.off('timeout', late)
      socket.off('close', gone)
      if (!error) {
        resolve(socket)
        return
      }
      socket.destroy()
      reject(error)
    }
    let reason: Error | undefined
    const late = (): void => settle(new Error('The upstream could not be reached in time.'))
    const gone = (): void => settle(reason ?? new Error('The upstream closed the connection.'))
    // Stays for good: an error without a listener would end the process.
    socket.on('error', error => {
      reason = error
    })
    socket.setTimeout(longestConnect)
    socket.once('timeout', late)
    socket.once('close', gone)
    socket.once(event, () => settle())
  })
}
