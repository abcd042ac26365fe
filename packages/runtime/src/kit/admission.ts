import { readFileSync } from 'node:fs'
import { isIP, type Server, type Socket } from 'node:net'
import type { PeerUserCheck } from './peer-user.ts'

interface AdmissionOptions {
  /** Connections at a time, over all addresses of the port. */
  readonly most: number
  readonly isOneOfUs: PeerUserCheck
  /** Asked for a connection that may go for the next one. */
  readonly spare?: (() => Socket | undefined) | undefined
  readonly onRefused: (because: string) => void
}

/** Which connections of a port are taken, decided when they come and before anything is asked of them. */
export type Admission = ReturnType<typeof createAdmission>

/** A connection of another user is dropped at once. Whoever is refused hears a status and no more. */
export function createAdmission({ most, isOneOfUs, spare, onRefused }: AdmissionOptions) {
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
    /** Calls `take` in a later tick if it may stay. Nobody may read from the socket before. */
    admit(socket: Socket, take: (socket: Socket) => void): void {
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
    /** Cuts every connection, and takes no more. */
    close(): void {
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

/** Why the request is refused; undefined: it may pass. `valuesOf`: all values of a header, by its name in small letters. */
export type OriginCheck = (
  valuesOf: (name: string) => readonly string[],
  options?: {
    /** The answer holds nothing of anyone's: a person who follows a link from elsewhere may have it. */
    readonly isPage?: boolean
  },
) => string | undefined

export interface OriginOptions {
  readonly port: number
  readonly host?: string | undefined
  /** More values of `Host`, each exactly as it is sent. */
  readonly alsoHosts?: readonly string[] | undefined
}

/**
 * Who may ask a port on loopback, by the headers of a request: a web page can make its reader's browser send
 * requests there, but cannot make it lie about where they come from. Programs send none of these headers but `Host`.
 */
export function createOriginCheck({ port, host, alsoHosts = [] }: OriginOptions): OriginCheck {
  const isOfPort = createHostCheck(port, host)
  const isOurs = (value: string): boolean => isOfPort(value) || alsoHosts.includes(value)
  return (valuesOf, { isPage = false } = {}) => {
    const values = watched.map(valuesOf)
    const twice = values.findIndex(({ length }) => length > 1)
    if (twice !== -1) return `${watched[twice]} more than once`
    const [host, site, ...origins] = values.map(([value]) => value)
    if (host === undefined || !isOurs(host)) return 'host'
    const isLink = isPage && site === 'cross-site' && isNavigation(valuesOf)
    if (site !== undefined && site !== 'none' && site !== 'same-origin' && !isLink) return 'sec-fetch-site'
    const own = [`http://${host}`, ...(alsoHosts.includes(host) ? [`https://${host}`] : [])]
    return origins.every(origin => origin === undefined || own.includes(origin)) ? undefined : 'origin'
  }
}

/** A person goes there with the whole window, as by a link in a chat. */
function isNavigation(valuesOf: (name: string) => readonly string[]): boolean {
  const [mode, ...moreModes] = valuesOf('sec-fetch-mode')
  const [dest, ...moreDests] = valuesOf('sec-fetch-dest')
  return mode === 'navigate' && dest === 'document' && moreModes.length + moreDests.length === 0
}

/** Early drafts of WebSocket, which `ws` still speaks, name the origin differently. */
const watched = ['host', 'sec-fetch-site', 'origin', 'sec-websocket-origin'] as const

/** A server that listens everywhere has many addresses, but no name that a page elsewhere could point at it. */
function createHostCheck(port: number, host: string | undefined): (value: string) => boolean {
  const spelled = (name: string): string => (isIP(name) === 6 ? `[${name}]` : name)
  const known = ['localhost', '127.0.0.1', '::1', host ?? 'localhost'].map(spelled)
  const allowed = new Set(known.flatMap(name => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`])))
  if (host !== '0.0.0.0' && host !== '::') return value => allowed.has(value)
  return value => allowed.has(value) || isAddress(value, port)
}

function isAddress(value: string, port: number): boolean {
  const end = `:${port}`
  if (!value.endsWith(end)) return false
  const name = value.slice(0, -end.length)
  const [, six = ''] = /^\[(.*)\]$/.exec(name) ?? []
  return isIP(name) === 4 || isIP(six) === 6
}

/** Descriptors that connections never get: files, pipes and processes need them. */
const reservedDescriptors = 256

/** Connections for one of `ports` ports, each `each` descriptors; undefined: the system does not say how many there are. */
export function connectionShare(
  { ports, each }: { readonly ports: number; readonly each: number },
  limit: number | undefined = descriptorLimit(),
): number | undefined {
  if (limit === undefined) return undefined
  return Math.max(fewest, Math.floor((limit - reservedDescriptors) / ports / each))
}

const fewest = 8

/** The open files that this process may have, as Linux says it; Node has raised it to what is allowed. */
function descriptorLimit(): number | undefined {
  try {
    return readDescriptorLimit(readFileSync('/proc/self/limits', 'latin1'))
  } catch {
    return undefined
  }
}

export function readDescriptorLimit(text: string): number | undefined {
  const soft = /^Max open files\s+(\d+)\s/m.exec(text)?.[1]
  return soft === undefined ? undefined : Number(soft)
}
