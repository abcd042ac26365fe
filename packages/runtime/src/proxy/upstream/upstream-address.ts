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
