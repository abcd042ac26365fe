import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { errorCode } from '../kit/index.ts'

export interface ListenOptions {
  /** 0: whichever is free. */
  readonly port: number
  readonly host?: string | undefined
}

export type Listening =
  | { readonly ok: true; readonly port: number; readonly servers: readonly Server[] }
  | { readonly ok: false; readonly message: string; readonly cure: string }

/**
 * Opens one port on both loopback addresses, and on `host` if there is one; never on more. A machine without IPv6 does
 * without it. The servers listen but have no handlers yet.
 */
export async function listen(options: ListenOptions): Promise<Listening> {
  // A port that is free on one address may be taken on the other; then the system is asked for another one.
  for (let attempt = 1; ; attempt++) {
    const opened = await listenOnce(options)
    if (opened.ok) return opened
    const mayRetry = options.port === 0 && opened.code === 'EADDRINUSE' && attempt < 20
    if (!mayRetry) return { ok: false, ...explain(options, opened.code) }
  }
}

type Opened =
  | { readonly ok: true; readonly port: number; readonly servers: readonly Server[] }
  | { readonly ok: false; readonly code: string }

async function listenOnce(options: ListenOptions): Promise<Opened> {
  const servers: Server[] = []
  let { port } = options
  for (const { address, optional } of addressesFor(options.host)) {
    const server = createServer(serverOptions)
    const result = await listenOn(server, { host: address, port, exclusive: true })
    if (result.ok) {
      servers.push(server)
      port = result.port
      continue
    }
    if (optional && missingAddress.has(result.code)) continue
    for (const other of servers) other.close()
    return result
  }
  return { ok: true, port, servers }
}

const missingAddress: ReadonlySet<string> = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL'])

/** A missing `Host` is answered by the gate; whoever sends no request is not waited for. */
const serverOptions = {
  requireHostHeader: false,
  headersTimeout: 10_000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 2_000,
  keepAliveTimeout: 5_000,
} as const

interface Place {
  readonly address: string
  /** Goes without when the machine does not have it. */
  readonly optional: boolean
}

function addressesFor(host: string | undefined): readonly Place[] {
  const six = { address: '::1', optional: true }
  if (host === '::') return [{ address: '::', optional: false }]
  if (host === '0.0.0.0') return [{ address: host, optional: false }, six]
  const four = { address: '127.0.0.1', optional: false }
  if (host === undefined || host === '127.0.0.1' || host === '::1' || host === 'localhost') return [four, six]
  return [four, six, { address: host, optional: false }]
}

interface Spot {
  readonly host: string
  readonly port: number
  readonly exclusive: boolean
}

function listenOn(
  server: Server,
  spot: Spot,
): Promise<{ readonly ok: true; readonly port: number } | { readonly ok: false; readonly code: string }> {
  return new Promise(resolve => {
    server.once('error', error => resolve({ ok: false, code: errorCode(error) ?? error.message }))
    server.listen(spot, () => resolve({ ok: true, port: (server.address() as AddressInfo).port }))
  })
}

function explain(
  { port, host }: ListenOptions,
  code: string,
): { readonly message: string; readonly cure: string } {
  const place = host === undefined ? `port ${port}` : `port ${port} of ${host}`
  if (code === 'EADDRINUSE')
    return {
      message: `The server cannot listen on ${place}: another program does.`,
      cure: 'End that program, choose another port with --port, or let the system choose with --port 0.',
    }
  if (code === 'EACCES')
    return {
      message: `The server may not listen on ${place}.`,
      cure: 'Ports below 1024 are reserved: choose a higher one with --port, or --port 0.',
    }
  return {
    message: `The server cannot listen on ${place} (${code}).`,
    cure: 'Choose another port with --port, and an address of this machine if you gave --host.',
  }
}
