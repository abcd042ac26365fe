import { readFileSync } from 'node:fs'
import { isIP, type Server, type Socket } from 'node:net'
import type { PeerUserCheck } from './peer-user.ts'

export interface AdmissionOptions {
  /** Connections at a time, over all addresses of the port. */
  readonly most: number
  readonly isOneOfUs: PeerUserCheck
  /** Asked when there are that many: a connection that may go for the next one. */
  readonly spare?: (() => Socket | undefined) | undefined
  readonly onRefused: (because: string) => void
}

/** Which connections of a port are taken, decided when they come and before anything is asked of them. */
export interface Admission {
  /** Calls `take` in a later tick if it may stay. Nobody may read from the socket before. */
  admit(socket: Socket, take: (socket: Socket) => void): void
  /** Cuts every connection, and takes no more. */
  close(): void
}

/**
 * A connection of another user is dropped at once: it holds no descriptor while nothing is asked. Whoever is refused
 * hears a status and no more.
 */
export function createAdmission({ most, isOneOfUs, spare, onRefused }: AdmissionOptions): Admission {
  const open = new Set<Socket>()
  let isClosed = false

  const refuse = (socket: Socket, status: string, because: string): void => {
    onRefused(because)
    socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`)
    socket.destroySoon()
  }

  const makeRoom = (): boolean => {
    const socket = spare?.()
    socket?.destroy()
    return socket !== undefined && open.delete(socket)
  }

  return {
    admit(socket, take) {
      socket.on('error', () => socket.destroy())
      if (isClosed) {
        socket.destroy()
        return
      }
      if (open.size >= most && !makeRoom()) {
        refuse(socket, '503 Service Unavailable', `there are ${most} connections already`)
        return
      }
      open.add(socket)
      socket.once('close', () => open.delete(socket))
      const decide = (isAllowed: boolean): void => {
        if (socket.destroyed) return
        if (isAllowed) take(socket)
        else refuse(socket, '403 Forbidden', 'it is of another user of this machine, or closed')
      }
      // A check that fails is no yes.
      isOneOfUs(socket).then(decide, () => decide(false))
    },
    close() {
      isClosed = true
      for (const socket of open) socket.destroy()
    },
  }
}

/** Every connection of a server passes the admission; then the server's own listeners, which begin to read it, are called. */
export function admitFirst(server: Server, admission: Admission): void {
  const own = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', socket =>
    admission.admit(socket, () => {
      for (const listener of own) Reflect.apply(listener, server, [socket])
    }),
  )
}

/**
 * Who may ask a port on loopback at all, by the headers of a request. A web page can make its reader's browser send
 * requests to such a port; it cannot make the browser lie about where they come from. Programs send none of these
 * headers but `Host`.
 */
interface GateOptions {
  readonly port: number
  /** The address that was asked for beyond loopback. */
  readonly host?: string | undefined
}

/** Why the request is refused; undefined: it may pass. `valuesOf` gives all values of a header, by its name in small letters. */
export type RequestGate = (valuesOf: (name: string) => readonly string[]) => string | undefined

export function createRequestGate({ port, host }: GateOptions): RequestGate {
  const isOurs = createHostCheck(port, host)
  return valuesOf => {
    const values = watched.map(valuesOf)
    const twice = values.findIndex(({ length }) => length > 1)
    if (twice !== -1) return `${watched[twice]} more than once`
    const [host, site, ...origins] = values.map(([value]) => value)
    if (host === undefined || !isOurs(host)) return 'host'
    if (site !== undefined && site !== 'none' && site !== 'same-origin') return 'sec-fetch-site'
    return origins.every(origin => origin === undefined || origin === `http://${host}`) ? undefined : 'origin'
  }
}

/** Early drafts of WebSocket, which `ws` still speaks, name the origin differently. */
const watched = ['host', 'sec-fetch-site', 'origin', 'sec-websocket-origin'] as const

/** A server that listens everywhere has many addresses, but no name that a page elsewhere could point at it. */
function createHostCheck(port: number, host: string | undefined): (value: string) => boolean {
  const spelled = (name: string): string => (isIP(name) === 6 ? `[${name}]` : name)
  const known = ['localhost', '127.0.0.1', '::1', ...(host === undefined ? [] : [host])].map(spelled)
  const allowed = new Set(known.flatMap(name => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`])))
  if (host !== '0.0.0.0' && host !== '::') return value => allowed.has(value)
  return value => allowed.has(value) || isAddress(value, port)
}

function isAddress(value: string, port: number): boolean {
  const end = `:${port}`
  if (!value.endsWith(end)) return false
  const name = value.slice(0, -end.length)
  return isIP(name) === 4 || (/^\[.*\]$/.test(name) && isIP(name.slice(1, -1)) === 6)
}

/** Descriptors that connections never get: files, pipes and processes need them. */
const reservedDescriptors = 256

/**
 * How many connections one of `ports` ports may hold, so that all of them together leave the reserve alone. A connection
 * of a port may cost `each` descriptors. Undefined: the system does not say how many descriptors there are.
 */
export function connectionShare(
  { ports, each }: { readonly ports: number; readonly each: number },
  limit: number | undefined = descriptorLimit(),
): number | undefined {
  if (limit === undefined) return undefined
  return Math.max(fewest, Math.floor((limit - reservedDescriptors) / ports / each))
}

/** With less than this a port is of no use. */
const fewest = 8

/** The open files that this process may have, as Linux says it; Node has raised it to what is allowed. */
function descriptorLimit(): number | undefined {
  try {
    return readDescriptorLimit(readFileSync('/proc/self/limits', 'latin1'))
  } catch {
    return undefined
  }
}

/** From the text of `/proc/<pid>/limits`. */
export function readDescriptorLimit(text: string): number | undefined {
  const soft = /^Max open files\s+(\d+)\s/m.exec(text)?.[1]
  return soft === undefined ? undefined : Number(soft)
}
