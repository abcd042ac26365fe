import type { AddressInfo, Server } from 'node:net'
import { errorCode, type Result } from './errors.ts'

interface ListenOptions<Listener extends Server> {
  readonly port: number
  /** Besides loopback. */
  readonly host?: string | undefined
  readonly create: () => Listener
}

export type Listening<Listener extends Server> = Result<
  { readonly port: number; readonly servers: readonly Listener[] },
  { readonly code: string }
>

/** Opens one port on both loopback addresses, and on `host`; never on more. A machine without IPv6 does without it. */
export async function listen<Listener extends Server>(
  options: ListenOptions<Listener>,
): Promise<Listening<Listener>> {
  // A port that is free on one address may be taken on the other; then the system is asked for another one.
  for (let attempt = 1; ; attempt++) {
    const opened = await listenOnce(options)
    if (opened.ok || options.port !== 0 || opened.code !== 'EADDRINUSE' || attempt === 20) return opened
  }
}

async function listenOnce<Listener extends Server>(
  options: ListenOptions<Listener>,
): Promise<Listening<Listener>> {
  const servers: Listener[] = []
  let { port } = options
  for (const { address, optional } of addressesFor(options.host)) {
    const server = options.create()
    const result = await listenOn(server, address, port)
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

/** `optional`: goes without when the machine does not have it. */
function addressesFor(host: string | undefined): readonly { address: string; optional?: true }[] {
  const four = { address: '127.0.0.1' }
  const six = { address: '::1', optional: true } as const
  if (host === '::') return [{ address: host }]
  if (host === '0.0.0.0') return [{ address: host }, six]
  if (host === undefined || host === '127.0.0.1' || host === '::1' || host === 'localhost') return [four, six]
  return [four, six, { address: host }]
}

function listenOn(
  server: Server,
  host: string,
  port: number,
): Promise<Result<{ readonly port: number }, { readonly code: string }>> {
  return new Promise(resolve => {
    server.once('error', error => resolve({ ok: false, code: errorCode(error) ?? error.message }))
    server.listen({ host, port, exclusive: true }, () =>
      resolve({ ok: true, port: (server.address() as AddressInfo).port }),
    )
  })
}
