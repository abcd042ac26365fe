import { isUtf8 } from 'node:buffer'

/**
 * A body with another text in place of its own. What a model says comes in many small events, and a word may be spread
 * over several of them: the pieces of one text are seen together. Bytes in which nothing is to be replaced stay as they are.
 */
export function rewrittenAnswer(bytes: Buffer, rewrite: Rewrite): Buffer {
  const encoding = isUtf8(bytes) ? 'utf8' : 'latin1'
  const text = bytes.toString(encoding)
  const after = isEventStream(text) ? rewrittenEvents(text, rewrite) : rewrittenJson(text, rewrite)
  return after === text ? bytes : Buffer.from(after, encoding)
}

function isEventStream(text: string): boolean {
  return /^(?:event|data|id|retry)?:/m.test(text.slice(0, 4096)) && /^data:/m.test(text)
}

function rewrittenJson(text: string, rewrite: Rewrite): string {
  const value = parsed(text)
  if (value === undefined) return rewrite(text)
  const before = JSON.stringify(value)
  const after = JSON.stringify(mapStrings(value, [], { text: rewrite, key: rewrite }))
  return after === before ? text : after
}

function rewrittenEvents(text: string, rewrite: Rewrite): string {
  const lines = text.split(/(?<=\n)/).map(readLine)
  const texts = new Map<string, string[]>()
  const remember = (piece: string, way: Way): string => {
    const key = JSON.stringify(way)
    const pieces = texts.get(key)
    if (pieces) pieces.push(piece)
    else texts.set(key, [piece])
    return piece
  }
  for (const line of lines)
    if (line.value !== undefined)
      mapStrings(line.value, eventKey(line.value), { text: remember, key: name => name })
  const rewritten = new Map([...texts].map(([key, pieces]) => [key, rewrittenPieces(pieces, rewrite)]))
  return lines.map(line => writeLine(line, rewritten, rewrite)).join('')
}

interface EventLine {
  readonly text: string
  /** Of a line of data that is JSON. */
  readonly value: unknown
}

function readLine(text: string): EventLine {
  return { text, value: text.startsWith('data:') ? parsed(text.slice('data:'.length)) : undefined }
}

/** Takes the pieces in the order in which they were put together. */
function writeLine(
  { text, value }: EventLine,
  texts: ReadonlyMap<string, string[]>,
  rewrite: Rewrite,
): string {
  if (value === undefined) return rewrite(text)
  const rewritten = mapStrings(value, eventKey(value), {
    text: (piece, way) => texts.get(JSON.stringify(way))?.shift() ?? piece,
    key: rewrite,
  })
  const after = JSON.stringify(rewritten)
  if (after === JSON.stringify(value)) return text
  return `data: ${after}${/\r?\n$/.exec(text)?.[0] ?? ''}`
}

type Way = readonly (string | number)[]

/** What says to which text a piece belongs, besides its place in the event. */
function eventKey(value: unknown): Way {
  if (typeof value !== 'object' || value === null) return []
  return ['type', 'index', 'output_index', 'content_index', 'summary_index'].map(name =>
    String(Reflect.get(value, name) ?? ''),
  )
}

/** What becomes of the texts of a value, and of its keys. */
interface Mapping {
  readonly text: (text: string, way: Way) => string
  readonly key: Rewrite
}

function mapStrings(value: unknown, way: Way, mapping: Mapping): unknown {
  if (typeof value === 'string') return mapping.text(value, way)
  if (Array.isArray(value))
    return value.map((item: unknown, at) => mapStrings(item, [...way, indexOf(item) ?? at], mapping))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [mapping.key(key), mapStrings(item, [...way, key], mapping)]),
  )
}

/** Some lists hold only what is new, and each item says which one it is. */
function indexOf(item: unknown): number | undefined {
  const index: unknown = typeof item === 'object' && item !== null ? Reflect.get(item, 'index') : undefined
  return typeof index === 'number' ? index : undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

type Rewrite = (text: string) => string

/**
 * A text in pieces, rewritten as a whole and cut up again: as many pieces as before, and those before the first and after
 * the last replaced character as they were. What was replaced in between stands in the piece where it begins.
 */
export function rewrittenPieces(pieces: readonly string[], rewrite: Rewrite): string[] {
  const before = pieces.join('')
  const after = rewrite(before)
  if (after === before) return [...pieces]
  const shorter = Math.min(before.length, after.length)
  let head = 0
  while (head < shorter && before[head] === after[head]) head++
  let tail = 0
  while (tail < shorter - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++
  const end = before.length - tail
  const replacement = after.slice(head, after.length - tail)
  let offset = 0
  let isPlaced = false
  return pieces.map(piece => {
    const from = offset
    offset += piece.length
    const kept = piece.slice(0, Math.max(0, head - from))
    const rest = piece.slice(Math.min(piece.length, Math.max(0, end - from)))
    const isHere = !isPlaced && (head < offset || offset === before.length)
    if (isHere) isPlaced = true
    return head >= offset && !isHere ? piece : `${kept}${isHere ? replacement : ''}${rest}`
  })
}
