import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { errorCode } from '../kit/index.ts'

export type Listening =
  | { readonly ok: true; readonly port: number; readonly servers: readonly Server[] }
  | { readonly ok: false; readonly code: string }

/**
 * Opens the preferred port on both loopback addresses, or whichever the system chooses when that one is taken. A machine
 * without IPv6 does without it. Sockets come paused.
 */
export async function listen(preferred: number, onSocket: (socket: Socket) => void): Promise<Listening> {
  const first = preferred > 65_535 ? 0 : preferred
  const opened = await listenBoth(first, onSocket)
  if (opened.ok || opened.code !== 'EADDRINUSE') return opened
  // A port that is free on one address may be taken on the other; then the system is asked for another one.
  for (let attempt = 1; attempt < 20; attempt++) {
    const other = await listenBoth(0, onSocket)
    if (other.ok || other.code !== 'EADDRINUSE') return other
  }
  return opened
}

/** The port that would be opened now. Nothing stays open. */
export async function tryPort(
  preferred: number,
): Promise<{ readonly ok: true; readonly port: number } | { readonly ok: false; readonly code: string }> {
  const opened = await listen(preferred, socket => socket.destroy())
  if (!opened.ok) return opened
  await Promise.all(opened.servers.map(server => new Promise<void>(resolve => server.close(() => resolve()))))
  return { ok: true, port: opened.port }
}

const missingAddress: ReadonlySet<string> = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL'])

async function listenBoth(wanted: number, onSocket: (socket: Socket) => void): Promise<Listening> {
  const four = await listenOn('127.0.0.1', wanted, onSocket)
  if (!four.ok) return four
  const six = await listenOn('::1', four.port, onSocket)
  if (six.ok) return { ok: true, port: four.port, servers: [four.server, six.server] }
  if (missingAddress.has(six.code)) return { ok: true, port: four.port, servers: [four.server] }
  four.server.close()
  return six
}

type Opened =
  | { readonly ok: true; readonly port: number; readonly server: Server }
  | { readonly ok: false; readonly code: string }

function listenOn(host: string, port: number, onSocket: (socket: Socket) => void): Promise<Opened> {
  return new Promise(resolve => {
    const server = createServer({ noDelay: true, pauseOnConnect: true }, onSocket)
    server.once('error', error => resolve({ ok: false, code: errorCode(error) ?? error.message }))
    server.listen({ host, port, exclusive: true }, () =>
      resolve({ ok: true, port: (server.address() as AddressInfo).port, server }),
    )
  })
}
