import { type Header, valuesOf } from './header.ts'

/** Between two neighbours only; `trailer` because trailers are dropped, `expect` because the proxy itself says "go on". */
const hopByHop: ReadonlySet<string> = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** What goes on to the other side: everything but what is for this hop, by rule or by the word of `Connection`. */
export function endToEnd(headers: readonly Header[]): readonly Header[] {
  const named = connectionWords(headers)
  if (named.size === 0) return headers.filter(({ key }) => !hopByHop.has(key))
  return headers.filter(({ key }) => !hopByHop.has(key) && !named.has(key))
}

/** The words of all `Connection` headers, in small letters. */
export function connectionWords(headers: readonly Header[]): ReadonlySet<string> {
  const values = valuesOf(headers, 'connection')
  if (values.length === 0) return none
  return new Set(values.flatMap(value => value.toLowerCase().split(',')).map(word => word.trim()))
}

const none: ReadonlySet<string> = new Set()
