import { isIP } from 'node:net'

/**
 * Who may ask a port on loopback at all, by the headers of a request. A web page can make its reader's browser send
 * requests to such a port; it cannot make the browser lie about where they come from. Programs send none of these
 * headers but `Host`.
 */
export interface GateOptions {
  readonly port: number
  /** The address that was asked for beyond loopback. */
  readonly host?: string | undefined
}

/** Why the request is refused; undefined: it may pass. `valuesOf` gives all values of a header, by its name in lower case. */
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
