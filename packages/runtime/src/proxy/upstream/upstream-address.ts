import { isIPv6 } from 'node:net'

/** Where everything goes, taken apart once: no request is ever resolved against it. */
export interface UpstreamAddress {
  readonly isTls: boolean
  readonly hostname: string
  readonly port: number
  /** For the `Host` header: with the port when it is not the usual one. */
  readonly host: string
  /** What stands before every path; empty, or with a slash first and none last. */
  readonly prefix: string
}

export type ReadUpstream =
  | { readonly ok: true; readonly upstream: UpstreamAddress }
  | { readonly ok: false; readonly message: string }

/** Who answers when nobody says otherwise. */
export const defaultUpstream = 'https://api.anthropic.com'

export function readUpstream(text: string): ReadUpstream {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isTls = url?.protocol === 'https:'
  if (!url || !(isTls || url.protocol === 'http:')) return fault(`${text} is not an http or https address.`)
  if (url.username !== '' || url.password !== '') return fault('The upstream address holds a user name.')
  if (url.search !== '' || url.hash !== '') return fault('The upstream address holds more than a path.')
  const bare = url.hostname.replace(/^\[|\]$/g, '')
  const hostname = isIPv6(bare) ? bare : url.hostname
  const port = url.port === '' ? (isTls ? 443 : 80) : Number(url.port)
  return {
    ok: true,
    upstream: { isTls, hostname, port, host: url.host, prefix: url.pathname.replace(/\/+$/, '') },
  }
}

function fault(message: string): ReadUpstream {
  return { ok: false, message }
}

type Environment = Readonly<Record<string, string | undefined>>

/** Another proxy, between this machine and the world. */
export interface OutboundProxy {
  readonly isTls: boolean
  readonly hostname: string
  readonly port: number
  /** The value of `Proxy-Authorization`. */
  readonly authorization?: string
}

type FoundProxy =
  /** `variable` names a proxy, which `proxy` is, unless it is not for this upstream. */
  | { readonly ok: true; readonly variable: string | undefined; readonly proxy: OutboundProxy | undefined }
  | { readonly ok: false; readonly message: string }

/** By custom the lower-case name wins, and an upstream without TLS is on this machine and needs none. */
const names = ['https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY'] as const

/** The proxy that the environment names for this upstream, unless it also excepts it. */
export function outboundProxy(upstream: UpstreamAddress, environment: Environment): FoundProxy {
  const variable = names.find(each => (environment[each] ?? '') !== '')
  if (variable === undefined || !upstream.isTls || isExcepted(upstream, environment))
    return { ok: true, variable, proxy: undefined }
  const value = (environment[variable] ?? '').trim()
  const text = value.includes('://') ? value : `http://${value}`
  const url = URL.canParse(text) ? new URL(text) : undefined
  const words = url && credentialsIn(url)
  if (words === undefined || !(url?.protocol === 'http:' || url?.protocol === 'https:'))
    return { ok: false, message: `${variable} is not the address of an http or https proxy.` }
  const isTls = url.protocol === 'https:'
  return {
    ok: true,
    variable,
    proxy: {
      isTls,
      hostname: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port === '' ? (isTls ? 443 : 80) : Number(url.port),
      ...(words !== ':' && { authorization: `Basic ${Buffer.from(words).toString('base64')}` }),
    },
  }
}

/** Undefined when they are encoded wrongly. */
function credentialsIn({ username, password }: URL): string | undefined {
  try {
    return `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  } catch {
    return undefined
  }
}

const thisMachine = /^(?:localhost|127\.\d+\.\d+\.\d+|::1)$/

function isExcepted({ hostname, port }: UpstreamAddress, environment: Environment): boolean {
  if (thisMachine.test(hostname)) return true
  const list = environment['no_proxy'] ?? environment['NO_PROXY'] ?? ''
  return list
    .split(/[\s,]+/)
    .map(entry => entry.toLowerCase())
    .some(entry => {
      if (entry === '') return false
      if (entry === '*') return true
      const [, name = entry, itsPort] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? []
      if (itsPort !== undefined && Number(itsPort) !== port) return false
      const bare = name.replace(/^\*?\./, '')
      return hostname === bare || hostname.endsWith(`.${bare}`)
    })
}
