/** One header line: the name as it was written, the same in small letters, the value without the space around it. */
export interface Header {
  readonly name: string
  readonly key: string
  readonly value: string
}

export type ReadHeaders =
  | { readonly ok: true; readonly headers: readonly Header[] }
  | { readonly ok: false; readonly fault: string }

/** Controls that may stand in no line of a head: all but the tab. What is left of line ends when lines were cut is bare. */
export const forbiddenInLine = /[\0-\x08\x0a-\x1f\x7f]/

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

/**
 * The header lines of a head, with nothing forgiven: no space before the colon, no line that goes on in the next. The
 * text has one character for each byte.
 */
export function readHeaders(lines: readonly string[]): ReadHeaders {
  const headers: Header[] = []
  for (const line of lines) {
    if (forbiddenInLine.test(line)) return { ok: false, fault: 'a control character in a header' }
    const colon = line.indexOf(':')
    const name = line.slice(0, Math.max(0, colon))
    if (!token.test(name)) return { ok: false, fault: 'a header line without a proper name' }
    headers.push({ name, key: name.toLowerCase(), value: withoutSpaceAround(line, colon + 1) })
  }
  return { ok: true, headers }
}

export function isToken(text: string): boolean {
  return token.test(text)
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

/** As the middleware sees them: small names, several values of one name with a comma between. */
export function headerMap(headers: readonly Header[]): Readonly<Record<string, string>> {
  const map = new Map<string, string>()
  for (const { key, value } of headers) {
    const before = map.get(key)
    map.set(key, before === undefined ? value : `${before}, ${value}`)
  }
  return Object.fromEntries(map)
}

const none: readonly string[] = []

/** Only space and tab: other characters that look like space are bytes of the value. */
function withoutSpaceAround(line: string, start: number): string {
  let from = start
  let to = line.length
  while (from < to && isSpace(line.charCodeAt(from))) from++
  while (to > from && isSpace(line.charCodeAt(to - 1))) to--
  return line.slice(from, to)
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09
}
