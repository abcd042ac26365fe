import { type Secret, shapeHints, withoutShapes } from './secrets.ts'

/**
 * Takes secrets out of text: known values by name, and well-known shapes of keys. Nothing throws; every pass is linear. A
 * secret cut in two at the border of a text is caught too: of any cut at least one half is always taken.
 */
export interface Redactor {
  /** Replaces every secret by `[redacted:NAME]`. */
  text(text: string): string
  /** For all strings of a JSON value, keys below the first level included. Returns the value itself if clean. */
  json<T>(value: T): T
  /** The cheap question: false when this JSON text holds no secret, nor a piece of one at a border. */
  suspects(json: string): boolean
  /** For text in pieces: holds back what might be the beginning of a secret. */
  stream(): { push(chunk: string): string; end(): string }
}

const minimumLength = 8
const longestFragment = 8
/** A word that may grow into a key is held back up to this many characters. */
const heldWord = 512

export function createRedactor(secrets: readonly Secret[]): Redactor {
  const known = expand(secrets)
  const names = new Map(known.map(secret => [secret.value, secret.name]))
  const values =
    known.length > 0 ? new RegExp(known.map(secret => literal(secret.value)).join('|'), 'g') : undefined
  const pieces = known.flatMap(borderPieces)
  const hint = hintOf(pieces)
  const jsonHint = hintOf(pieces.map(piece => JSON.stringify(piece).slice(1, -1)))

  const text = (input: string): string => {
    // Nearly every text is clean, and one search for pieces costs a fraction of all passes.
    if (!hint.test(input)) return input
    const whole = values ? input.replace(values, value => `[redacted:${names.get(value)}]`) : input
    return known.reduce(withoutBorderFragments, withoutShapes(whole))
  }
  const suspects = (json: string): boolean => jsonHint.test(json)
  const json = <T>(value: T): T => cleaned(value, text, 0) as T
  return { text, json, suspects, stream: () => createStream(text, known) }
}

/** A secret of several lines is also a secret line by line. Longest first, so that no value hides a longer one. */
function expand(secrets: readonly Secret[]): readonly Secret[] {
  const lines = secrets.flatMap(({ name, value }) =>
    value.split(/\r?\n/).flatMap(line => (line.trim().length >= 16 ? [{ name, value: line.trim() }] : [])),
  )
  const byValue = new Map([...lines, ...secrets].map(secret => [secret.value, secret]))
  return [...byValue.values()]
    .filter(secret => secret.value.length >= minimumLength)
    .sort((a, b) => b.value.length - a.value.length)
}

/** The shortest piece of a value that is taken at a border. Never over half of it, so that one half always is. */
function fragmentLength(value: string): number {
  return Math.min(longestFragment, Math.floor(value.length / 2))
}

/** Every text containing the secret, or a cut half of it, contains one of these substrings. */
function borderPieces({ value }: Secret): readonly string[] {
  const length = fragmentLength(value)
  // Half a character has another form in JSON than a whole one.
  return [
    value.slice(0, length).replace(/[\uD800-\uDBFF]$/, ''),
    value.slice(-length).replace(/^[\uDC00-\uDFFF]/, ''),
  ]
}

function hintOf(pieces: readonly string[]): RegExp {
  return new RegExp([...pieces.map(literal), shapeHints].join('|'))
}

function withoutBorderFragments(text: string, { name, value }: Secret): string {
  const least = fragmentLength(value)
  const atEnd = longestPiece(value, text, length => text.endsWith(value.slice(0, length)))
  const rest = atEnd < least ? text : `${text.slice(0, -atEnd)}[redacted:${name}]`
  const atStart = longestPiece(value, rest, length => rest.startsWith(value.slice(-length)))
  return atStart < least ? rest : `[redacted:${name}]${rest.slice(atStart)}`
}

/** How much of a value, but not all, stands at a border of a text. */
function longestPiece({ length: whole }: string, text: string, isThere: (length: number) => boolean): number {
  for (let length = Math.min(whole - 1, text.length); length > 0; length--) if (isThere(length)) return length
  return 0
}

function cleaned(value: unknown, text: (input: string) => string, depth: number): unknown {
  if (typeof value === 'string') return text(value)
  if (Array.isArray(value))
    return keepIfSame(
      value,
      value.map(item => cleaned(item, text, depth + 1)),
    )
  if (typeof value !== 'object' || value === null) return value
  let changed = false
  const entries = Object.entries(value).map(([key, item]) => {
    const cleanKey = depth === 0 ? key : text(key)
    const cleanItem = cleaned(item, text, depth + 1)
    if (cleanKey !== key || cleanItem !== item) changed = true
    return [cleanKey, cleanItem] as const
  })
  return changed ? Object.fromEntries(entries) : value
}

function keepIfSame(before: readonly unknown[], after: readonly unknown[]): readonly unknown[] {
  return after.some((item, index) => item !== before[index]) ? after : before
}

function createStream(
  text: (input: string) => string,
  known: readonly Secret[],
): ReturnType<Redactor['stream']> {
  let held = ''
  return {
    push(chunk) {
      const all = held + chunk
      const cut = all.length - Math.max(growingWord(all), growingValue(all, known))
      held = all.slice(cut)
      return cut === 0 ? '' : text(all.slice(0, cut))
    },
    end() {
      const rest = held
      held = ''
      return rest === '' ? '' : text(rest)
    },
  }
}

/** Length of the word at the end, which might be the first half of a key. */
function growingWord(text: string): number {
  let length = 0
  while (length < heldWord && length < text.length && !/\s/.test(text.charAt(text.length - 1 - length)))
    length++
  return length
}

/** Length of the longest end of the text that is the beginning of a known value. */
function growingValue(text: string, known: readonly Secret[]): number {
  const lengths = known.map(({ value }) =>
    longestPiece(value, text, length => text.endsWith(value.slice(0, length))),
  )
  return Math.max(0, ...lengths)
}

function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')
}
