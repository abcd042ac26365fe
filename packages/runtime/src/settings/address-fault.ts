/**
 * Why a text is no address that secrets and payloads may be sent to, or undefined when it is one: `https:` anywhere,
 * plain `http:` only to this machine, no user name and no password in it. Never throws.
 */
export function addressFault(text: string): string | undefined {
  const wanted = 'expected an address that starts with https://, or with http:// when it is on this machine'
  if (!URL.canParse(text)) return wanted
  const url = new URL(text)
  if (url.username !== '' || url.password !== '')
    return 'expected an address without a user name and password'
  if (url.protocol === 'https:') return undefined
  return url.protocol === 'http:' && isLoopback(url.hostname) ? undefined : `${wanted}, found ${url.origin}`
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}
