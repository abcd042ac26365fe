import { createScanner, type Node, type ParseError, parseTree } from 'jsonc-parser'
import { syntaxFault } from './json-faults.ts'
import { endOfString, tooManyParts } from './json-limits.ts'
import { formatKey, formatPath, type JsonPath, shown } from './json-path.ts'
import type { Place, Problem } from './problems.ts'

/** A JSON document that still knows where each of its values was written. */
export interface JsonSource {
  /** As `JSON.parse` gives it: a key `__proto__` is an own key like any other. Nobody else holds it. */
  readonly value: unknown
  /** Where the value at a path, or its key, is written; for a path that does not exist, the nearest thing around it. */
  readonly placeOf: (path: JsonPath, at?: 'key' | 'value') => Place
  /** Keys written twice in one object. */
  readonly warnings: readonly Problem[]
}

export type JsonSourceResult =
  | ({ readonly ok: true } & JsonSource)
  | { readonly ok: false; readonly problems: readonly Problem[] }

export interface JsonSourceOptions {
  /** As it should be named in messages. */
  readonly file: string
  readonly maxBytes?: number
  readonly maxDepth?: number
}

const defaultMaxBytes = 10 * 1024 * 1024
const defaultMaxDepth = 64

/**
 * Reads strict JSON (no comments, no trailing commas; a byte order mark is forgiven). Bytes must be UTF-8.
 *
 * Never throws, and needs time and stack in proportion to what the caps allow, whatever the text holds: a file with
 * millions of values, or of blanks in a row, is refused as well. Of several syntax faults it reports the first, with its
 * line and column and the line itself.
 */
export function parseJsonSource(input: string | Uint8Array, options: JsonSourceOptions): JsonSourceResult {
  const { file, maxBytes = defaultMaxBytes, maxDepth = defaultMaxDepth } = options
  const refused = (message: string, place?: Place): JsonSourceResult => ({
    ok: false,
    problems: [{ severity: 'error', where: '', message, place: place ?? { file, line: 1, column: 1 } }],
  })
  const size = typeof input === 'string' ? Buffer.byteLength(input) : input.byteLength
  if (size > maxBytes) return refused(`the file has ${size} bytes; at most ${maxBytes} are allowed`)
  const text = textOf(input)
  if (text === undefined) return refused('the file is not valid UTF-8')
  const excess = tooManyParts(text)
  if (excess !== undefined) return refused(excess)

  const placeAt = placesIn(text, file)
  const parsed = parseStrictly(text)
  if (!parsed.ok) return refusedSyntax(text, { maxDepth, placeAt, refused })
  const { tooDeepAt, keys } = survey(text, maxDepth)
  if (tooDeepAt !== undefined) return refused(tooDeep(maxDepth), placeAt(tooDeepAt))

  // Places are asked for when something is wrong; a good file never pays for the tree that knows them.
  let tree: Node | undefined
  const rootOf = (): Node => {
    tree ??= parseTree(text, [], { disallowComments: true }) ?? nowhere
    return tree
  }
  const { value } = parsed
  const placeOf: JsonSource['placeOf'] = (path, at = 'value') => placeAt(offsetOf(rootOf(), path, at))
  const warnings = keys === keysIn(value) ? [] : keysWrittenTwice(rootOf(), placeAt)
  return { ok: true, value, placeOf, warnings }
}

interface SyntaxContext {
  readonly maxDepth: number
  readonly placeAt: (offset: number) => Place
  readonly refused: (message: string, place?: Place) => JsonSourceResult
}

/** Says what is wrong with a text that is not JSON. Depth first: the parser that finds faults works by recursion. */
function refusedSyntax(text: string, { maxDepth, placeAt, refused }: SyntaxContext): JsonSourceResult {
  const deep = firstTooDeep(text, maxDepth)
  if (deep !== undefined) return refused(tooDeep(maxDepth), placeAt(deep))
  const errors: ParseError[] = []
  parseTree(text, errors, { disallowComments: true })
  const fault = errors[0]
    ? syntaxFault(text, errors[0])
    : { offset: 0, message: 'the text is not valid JSON' }
  return refused(withLine(text, fault), placeAt(fault.offset))
}

function tooDeep(maxDepth: number): string {
  return `values are nested more than ${maxDepth} levels deep`
}

const nowhere: Node = { type: 'null', offset: 0, length: 0 }

/** One pass over a text that is JSON: how many keys are written in it, and where it first goes too deep. */
function survey(
  text: string,
  maxDepth: number,
): { readonly tooDeepAt: number | undefined; readonly keys: number } {
  let depth = 0
  let keys = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfString(text, at)
    else if (code === colon) keys++
    else if (code === openBrace || code === openBracket) {
      if (++depth > maxDepth) return { tooDeepAt: at, keys }
    } else if (code === closeBrace || code === closeBracket) depth--
  }
  return { tooDeepAt: undefined, keys }
}

const [quote, colon] = [0x22, 0x3a]
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d]

/** Keys of all objects in a value that is known not to be too deep. A key written twice is there once. */
function keysIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const inner: readonly unknown[] = Object.values(value)
  const own = Array.isArray(value) ? 0 : inner.length
  return inner.reduce((sum: number, item) => sum + keysIn(item), own)
}

function textOf(input: string | Uint8Array): string | undefined {
  if (typeof input === 'string') return input.startsWith('\uFEFF') ? input.slice(1) : input
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(input)
  } catch {
    return undefined
  }
}

/** The judge of what is JSON. The tree with the positions comes from a parser that is more patient and sets `__proto__`. */
function parseStrictly(text: string): { readonly ok: boolean; readonly value: unknown } {
  try {
    return { ok: true, value: JSON.parse(text) }
  } catch {
    return { ok: false, value: undefined }
  }
}

/**
 * Looked for before parsing, because the parser of the tree works by recursion. Its own scanner sees the same brackets,
 * and like the parser this takes a closing bracket for an end only where it fits the last open one.
 */
function firstTooDeep(text: string, maxDepth: number): number | undefined {
  const scanner = createScanner(text, true)
  const open: string[] = []
  while (scanner.getPosition() < text.length) {
    scanner.scan()
    const offset = scanner.getTokenOffset()
    const first = text.charAt(offset)
    const closing = closingOf[first]
    if (closing !== undefined) open.push(closing)
    else if (first === open.at(-1)) open.pop()
    if (open.length > maxDepth) return offset
  }
  return undefined
}

const closingOf: Readonly<Record<string, string>> = { '[': ']', '{': '}' }

function placesIn(text: string, file: string): (offset: number) => Place {
  let starts: readonly number[] | undefined
  return offset => {
    starts ??= lineStarts(text)
    let low = 0
    let high = starts.length - 1
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if ((starts[middle] ?? 0) <= offset) low = middle
      else high = middle - 1
    }
    return { file, line: low + 1, column: offset - (starts[low] ?? 0) + 1 }
  }
}

function lineStarts(text: string): readonly number[] {
  const starts = [0]
  for (const { index, 0: end } of text.matchAll(/\r\n|\r|\n/g)) starts.push(index + end.length)
  return starts
}

const longestExcerpt = 80

/** The message with the line it is about, cut around the place when the line is long. */
function withLine(
  text: string,
  { offset, message }: { readonly offset: number; readonly message: string },
): string {
  let start = offset
  while (start > 0 && offset - start < longestExcerpt / 2 && !isLineEnd(text.charAt(start - 1))) start--
  let end = offset
  while (end < text.length && end - start < longestExcerpt && !isLineEnd(text.charAt(end))) end++
  const line = text.slice(start, end).trim()
  return line === '' ? message : `${message}, in the line ${shownLine(line)}`
}

function isLineEnd(character: string): boolean {
  return character === '\n' || character === '\r'
}

/** Between backticks, since JSON is full of quotes; control characters made visible. */
function shownLine(line: string): string {
  return `\`${line.replace(/[\u0000-\u001f\u007f-\u009f]/g, character => shown(character).slice(1, -1))}\``
}

function offsetOf(root: Node, path: JsonPath, at: 'key' | 'value'): number {
  let node = root
  let offset = root.offset
  for (const step of path) {
    const child = childOf(node, step)
    if (!child) return offset
    node = child.value
    offset = at === 'key' ? child.key.offset : node.offset
  }
  return offset
}

interface Child {
  readonly key: Node
  readonly value: Node
}

function childOf(node: Node, step: PropertyKey): Child | undefined {
  if (node.type === 'object') return propertiesOf(node).get(String(step))
  const item = node.type === 'array' ? node.children?.[Number(step)] : undefined
  return item && { key: item, value: item }
}

const indexed = new WeakMap<Node, ReadonlyMap<string, Child>>()

/** The last of several equal keys is the one that counts, as in `JSON.parse`. Made once per object: a file may have a million keys. */
function propertiesOf(object: Node): ReadonlyMap<string, Child> {
  const known = indexed.get(object)
  if (known) return known
  const children = new Map<string, Child>()
  for (const { children: [key, value] = [] } of object.children ?? [])
    if (key && value) children.set(String(key.value), { key, value })
  indexed.set(object, children)
  return children
}

function keysWrittenTwice(root: Node, placeAt: (offset: number) => Place): readonly Problem[] {
  const problems: Problem[] = []
  const visit = (node: Node, path: JsonPath): void => {
    if (node.type === 'array')
      for (const [at, item] of (node.children ?? []).entries()) visit(item, [...path, at])
    if (node.type !== 'object') return
    const properties = propertiesOf(node)
    for (const { children: [key, value] = [] } of node.children ?? []) {
      if (!key || !value) continue
      const name = String(key.value)
      if (properties.get(name)?.key === key) visit(value, [...path, name])
      else problems.push(writtenTwice(path, name, placeAt(key.offset)))
    }
  }
  visit(root, [])
  return problems
}

function writtenTwice(path: JsonPath, key: string, place: Place): Problem {
  const message = `the key ${formatKey(key)} is written more than once; only the last one counts`
  return { severity: 'warning', where: formatPath(path), message, place }
}
