/** One header line: the name as it was written, the same in lower case, the value. */
export interface Header {
  readonly name: string
  readonly key: string
  readonly value: string
}

/** From name, value, name, value, as both parsers give them. Bytes are read as latin1: one character each. */
export function readHeaders(raw: readonly (string | Buffer)[]): readonly Header[] {
  const headers: Header[] = []
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = textOf(raw[at])
    headers.push({ name, key: name.toLowerCase(), value: textOf(raw[at + 1]) })
  }
  return headers
}

function textOf(part: string | Buffer | undefined): string {
  return typeof part === 'string' ? part : (part?.toString('latin1') ?? '')
}

/** Back to name, value, name, value. */
export function rawHeaders(headers: readonly Header[]): string[] {
  const raw: string[] = []
  for (const { name, value } of headers) raw.push(name, value)
  return raw
}

/** The values of all headers of that name, in order. */
export function valuesOf(headers: readonly Header[], key: string): readonly string[] {
  let values: string[] | undefined
  for (const header of headers) {
    if (header.key !== key) continue
    values ??= []
    values.push(header.value)
  }
  return values ?? none
}

/** The first value of that name. */
export function firstValue(headers: readonly Header[], key: string): string | undefined {
  return headers.find(header => header.key === key)?.value
}

/** As the middleware sees them: names in lower case, several values of one name with a comma between. */
export function headerMap(headers: readonly Header[]): Readonly<Record<string, string>> {
  const map = new Map<string, string>()
  for (const { key, value } of headers) {
    const before = map.get(key)
    map.set(key, before === undefined ? value : `${before}, ${value}`)
  }
  return Object.fromEntries(map)
}

/** Between two neighbours only; `trailer` because trailers are dropped, `expect` because the proxy itself says "continue". */
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

/**
 * The headers for the other side: all but the hop-by-hop ones, fixed or named by `Connection`. The length of the body is
 * never hop-by-hop, whatever `Connection` says: the next message begins where it ends.
 */
export function endToEnd(headers: readonly Header[]): readonly Header[] {
  const named = connectionOptions(headers)
  if (named.size === 0) return headers.filter(({ key }) => !hopByHop.has(key))
  return headers.filter(({ key }) => !hopByHop.has(key) && (!named.has(key) || key === 'content-length'))
}

/** The options of all `Connection` headers, in lower case. */
export function connectionOptions(headers: readonly Header[]): ReadonlySet<string> {
  const values = valuesOf(headers, 'connection')
  if (values.length === 0) return noOptions
  return new Set(values.flatMap(value => value.toLowerCase().split(',')).map(option => option.trim()))
}

/** A transfer coding other than `chunked` alone: no two programs agree on where such a body ends. */
export function hasUnknownCoding(headers: readonly Header[]): boolean {
  return valuesOf(headers, 'transfer-encoding').some(coding => coding.toLowerCase() !== 'chunked')
}

const none: readonly string[] = []
const noOptions: ReadonlySet<string> = new Set()
