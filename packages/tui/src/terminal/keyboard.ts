/** One press: a name such as `up` or `enter`, or the character itself. Pasted text comes as one `paste`. */
export type Key =
  | { readonly name: KeyName }
  | { readonly name: 'character'; readonly character: string }
  | { readonly name: 'paste'; readonly text: string }

export type KeyName =
  | 'up'
  | 'down'
  | 'left'
  | 'right'
  | 'home'
  | 'end'
  | 'page-up'
  | 'page-down'
  | 'tab'
  | 'back-tab'
  | 'enter'
  | 'escape'
  | 'backspace'
  | 'interrupt'
  | 'redraw'

/** What was read, and what may still become a key when more comes. */
export interface Decoded {
  readonly keys: readonly Key[]
  readonly rest: string
}

const sequences: Readonly<Record<string, KeyName>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  H: 'home',
  F: 'end',
  Z: 'back-tab',
  '1~': 'home',
  '4~': 'end',
  '5~': 'page-up',
  '6~': 'page-down',
  '7~': 'home',
  '8~': 'end',
}

const controls: Readonly<Record<string, KeyName>> = {
  '\r': 'enter',
  '\n': 'enter',
  '\t': 'tab',
  '\x03': 'interrupt',
  '\x0c': 'redraw',
  '\x08': 'backspace',
  '\x7f': 'backspace',
}

const pasteBegins = '\x1b[200~'
const pasteEnds = '\x1b[201~'
const sequence = /^\x1b(?:\[|O)([0-9;]*)([A-Za-z~])/

/** Reads keys out of what a terminal sends. Pure: the caller keeps `rest` and gives it back with what comes next. */
export function decodeKeys(text: string): Decoded {
  const keys: Key[] = []
  let rest = text
  while (rest !== '') {
    const next = rest.startsWith('\x1b') ? readEscape(rest) : readPlain(rest)
    if (!next) break
    if (next.key) keys.push(next.key)
    rest = rest.slice(next.length)
  }
  return { keys, rest }
}

/** What is left when nothing came after it for a moment: Escape was pressed, or nonsense was sent. */
export function flushKeys(rest: string): readonly Key[] {
  return rest === '\x1b' ? [{ name: 'escape' }] : []
}

interface Read {
  readonly key?: Key
  readonly length: number
}

/** Longest paste that is waited for. */
const longestPaste = 100_000

function readEscape(text: string): Read | undefined {
  if (text.startsWith(pasteBegins)) {
    const end = text.indexOf(pasteEnds)
    if (end >= 0) {
      const pasted = text.slice(pasteBegins.length, end)
      return { key: { name: 'paste', text: pasted }, length: end + pasteEnds.length }
    }
    return text.length > longestPaste ? { length: text.length } : undefined
  }
  const found = sequence.exec(text)
  if (found) {
    const [whole, parameters = '', last = ''] = found
    const name = sequences[last === '~' ? `${parameters.split(';')[0]}~` : last]
    return { length: whole.length, ...(name && { key: { name } }) }
  }
  if (/^\x1b(?:\[|O)?[0-9;]{0,16}$/.test(text)) return undefined
  return text.startsWith('\x1b\x1b') ? { key: { name: 'escape' }, length: 1 } : { length: 2 }
}

function readPlain(text: string): Read {
  const character = String.fromCodePoint(text.codePointAt(0) ?? 0)
  const name = controls[character]
  if (name) return { key: { name }, length: 1 }
  if (character < ' ') return { length: 1 }
  return { key: { name: 'character', character }, length: character.length }
}

/** The part of a terminal's input stream that a face uses. */
export interface Input {
  setRawMode?(raw: boolean): unknown
  on(event: 'data', listener: (chunk: Buffer | string) => void): unknown
  off(event: 'data', listener: (chunk: Buffer | string) => void): unknown
  resume(): unknown
  pause(): unknown
}

/** Escape alone is a key when nothing follows for this long. */
const escapeMs = 40

/** Raw keys until it is stopped. Returns the function that stops it. */
export function listen(input: Input, type: (keys: readonly Key[]) => void): () => void {
  let rest = ''
  let timer: NodeJS.Timeout | undefined
  const flush = (): void => {
    const keys = flushKeys(rest)
    rest = ''
    if (keys.length > 0) type(keys)
  }
  const read = (chunk: Buffer | string): void => {
    clearTimeout(timer)
    const decoded = decodeKeys(rest + chunk.toString())
    rest = decoded.rest
    if (rest !== '') timer = setTimeout(flush, escapeMs)
    if (decoded.keys.length > 0) type(decoded.keys)
  }
  input.setRawMode?.(true)
  input.on('data', read)
  input.resume()
  return () => {
    clearTimeout(timer)
    input.off('data', read)
    input.pause()
    input.setRawMode?.(false)
  }
}
