import { readFileSync } from 'node:fs'
import { isIPv6, Socket } from 'node:net'
import { createSecureContext, rootCertificates } from 'node:tls'
import type { buildConnector } from 'undici'
import { errorCode } from '../../kit/index.ts'
import type { OutboundProxy, UpstreamAddress } from './upstream-address.ts'

type Environment = Readonly<Record<string, string | undefined>>

export interface ConnectorOptions {
  readonly upstream: UpstreamAddress
  readonly proxy: OutboundProxy | undefined
  readonly environment: Environment
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
  const connectThrough = async (
    options: buildConnector.Options,
    callback: buildConnector.Callback,
  ): Promise<void> => {
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
  return (options, callback) => void connectThrough(options, callback)
}

/** Where systems keep their trusted CAs in one file. */
const systemBundles = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/ssl/cert.pem',
  '/usr/local/etc/openssl/cert.pem',
] as const

/**
 * The trusted CAs: those that Node.js ships, those of the system, and those that `NODE_EXTRA_CA_CERTS` adds. A file that
 * cannot be read adds none.
 */
function trustedCertificates(environment: Environment): readonly string[] {
  const named = environment['SSL_CERT_FILE'] ?? ''
  const bundles = named === '' ? systemBundles : [named]
  const system = bundles.map(textOf).find(text => text !== '')
  const extra = textOf(environment['NODE_EXTRA_CA_CERTS'] ?? '')
  return [...rootCertificates, system ?? '', extra].filter(text => text !== '')
}

interface NamedCertificates {
  readonly variable: string
  readonly path: string
  /** Why it adds no CA. */
  readonly problem?: string
}

/** The files that the environment names, each with what is wrong with it. */
export function namedCertificates(environment: Environment): readonly NamedCertificates[] {
  return ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE'].flatMap(variable => {
    const path = environment[variable] ?? ''
    if (path === '') return []
    const found = read(path)
    return [{ variable, path, ...(!found.ok && { problem: found.problem }) }]
  })
}

function textOf(path: string): string {
  const found = read(path)
  return found.ok ? found.text : ''
}

function read(
  path: string,
): { readonly ok: true; readonly text: string } | { readonly ok: false; readonly problem: string } {
  try {
    const text = readFileSync(path, 'latin1')
    if (text.includes('-----BEGIN CERTIFICATE-----')) return { ok: true, text }
    return { ok: false, problem: 'holds no certificate' }
  } catch (error) {
    return { ok: false, problem: `cannot be read, ${errorCode(error) ?? String(error)}` }
  }
}
