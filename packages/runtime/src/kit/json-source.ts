import { type Node, parseTree } from 'jsonc-parser'
import type { Result } from './errors.ts'
import { syntaxFault } from './json-faults.ts'
import { formatKey, formatPath, type JsonPath } from './json-fields.ts'
import { scanJson } from './json-scan.ts'
import { type Place, type Problem, problemOf, type Spot } from './problems.ts'

/** A JSON document that still knows where each of its values was written. */
export interface JsonSource {
  /** As `JSON.parse` gives it: a key `__proto__` is an own key like any other. */
  readonly value: unknown
  /** Where the value at a path, or its key, is written; else the nearest thing around it. */
  readonly placeOf: (path: JsonPath, at?: 'key' | 'value') => Place
  /** The same with its path and its end, to be told as the spot of a problem. */
  readonly spotOf: (path: JsonPath, at?: 'key' | 'value') => Required<Spot>
  /** Keys written twice in one object. */
  readonly warnings: readonly Problem<JsonCode>[]
}

/** What can be wrong with a text that should be JSON. */
export type JsonCode = 'json/syntax' | 'json/encoding' | 'json/size' | 'json/depth' | 'json/twice'

type JsonSourceResult = Result<JsonSource, { readonly problems: readonly Problem<JsonCode>[] }>

interface JsonSourceOptions {
  readonly file: string
  readonly maxBytes?: number
  readonly maxDepth?: number
}

/**
 * Reads strict JSON in UTF-8; a byte order mark is forgiven. Never throws, and needs time and stack in proportion to the
 * caps, whatever the text holds. Of several syntax faults it reports the first, with its place and line.
 */
export function parseJsonSource(input: string | Uint8Array, options: JsonSourceOptions): JsonSourceResult {
  const { file, maxBytes = 10 << 20, maxDepth = 64 } = options
  const beginning: Place = { file, line: 1, column: 1 }
  const refused = (code: JsonCode, message: string, place = beginning): JsonSourceResult => ({
    ok: false,
    problems: [problemOf({ severity: 'error', code, message }, { where: '', place })],
  })
  const size = typeof input === 'string' ? Buffer.byteLength(input) : input.byteLength
  if (size > maxBytes)
    return refused('json/size', `the file has ${size} bytes; at most ${maxBytes} are allowed`)
  const text = textOf(input)
  if (text === undefined) return refused('json/encoding', 'the file is not valid UTF-8')
  const { excess, tooDeepAt, keys } = scanJson(text, maxDepth)
  if (excess !== undefined) return refused('json/size', excess)
  const placeAt = placesIn(text, file)
  if (tooDeepAt !== undefined)
    return refused('json/depth', `values are nested more than ${maxDepth} levels deep`, placeAt(tooDeepAt))
  const parsed = parseStrictly(text)
  if (!parsed.ok) {
    const { message, offset } = syntaxFault(text)
    return refused('json/syntax', message, placeAt(offset))
  }

  // Places are asked for when something is wrong; a good file never pays for the tree that knows them.
  let tree: Node | undefined
  const rootOf = (): Node => {
    tree ??= parseTree(text, [], { disallowComments: true }) ?? nowhere
    return tree
  }
  const { value } = parsed
  const placeOf: JsonSource['placeOf'] = (path, at = 'value') => placeAt(nodeAt(rootOf(), path, at).offset)
  const spotOf: JsonSource['spotOf'] = (path, at = 'value') =>
    spotAt(formatPath(path), nodeAt(rootOf(), path, at), placeAt)
  const warnings = keys === keysIn(value) ? [] : keysWrittenTwice(rootOf(), placeAt)
  return { ok: true, value, placeOf, spotOf, warnings }
}

const nowhere: Node = { type: 'null', offset: 0, length: 0 }

/** A key written twice is there once. */
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

/** The judge of what is JSON: the parser with the positions is more patient and sets `__proto__`. */
function parseStrictly(text: string): { readonly ok: boolean; readonly value: unknown } {
  try {
    return { ok: true, value: JSON.parse(text) }
  } catch {
    return { ok: false, value: undefined }
  }
}

function placesIn(text: string, file: string): (offset: number) => Place {
  let starts: readonly number[] | undefined
  return offset => {
    starts ??= [0, ...Array.from(text.matchAll(/\r\n|\r|\n/g), ({ index, 0: end }) => index + end.length)]
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

function spotAt(where: string, { offset, length }: Node, placeAt: (offset: number) => Place): Required<Spot> {
  return { where, place: placeAt(offset), end: placeAt(offset + length) }
}

/** What is written at a path, or its key; of a path that leads nowhere, as far as it leads. */
function nodeAt(root: Node, path: JsonPath, at: 'key' | 'value'): Node {
  let node = root
  let found = root
  for (const step of path) {
    const child = childOf(node, step)
    if (!child) return found
    node = child.value
    found = child[at]
  }
  return found
}

type Child = Readonly<Record<'key' | 'value', Node>>

function childOf(node: Node, step: PropertyKey): Child | undefined {
  if (node.type === 'object') return propertiesOf(node).get(String(step))
  const item = node.type === 'array' ? node.children?.[Number(step)] : undefined
  return item && { key: item, value: item }
}

const indexed = new WeakMap<Node, ReadonlyMap<string, Child>>()

/** The last of equal keys counts, as in `JSON.parse`. Made once per object: a file may have a million keys. */
function propertiesOf(object: Node): ReadonlyMap<string, Child> {
  const known = indexed.get(object)
  if (known) return known
  const children = new Map<string, Child>()
  for (const { children: [key, value] = [] } of object.children ?? [])
    if (key && value) children.set(String(key.value), { key, value })
  indexed.set(object, children)
  return children
}

function keysWrittenTwice(root: Node, placeAt: (offset: number) => Place): readonly Problem<JsonCode>[] {
  const problems: Problem<JsonCode>[] = []
  const visit = (node: Node, path: JsonPath): void => {
    if (node.type === 'array')
      for (const [at, item] of (node.children ?? []).entries()) visit(item, [...path, at])
    if (node.type !== 'object') return
    const properties = propertiesOf(node)
    for (const { children: [key, value] = [] } of node.children ?? []) {
      if (!key || !value) continue
      const name = String(key.value)
      if (properties.get(name)?.key === key) visit(value, [...path, name])
      else {
        const message = `the key ${formatKey(name)} is written more than once; only the last one counts`
        // A key is on one line, and there may be a million of them.
        const place = placeAt(key.offset)
        const spot = { where: formatPath(path), place, end: { ...place, column: place.column + key.length } }
        problems.push(problemOf({ severity: 'warning', code: 'json/twice', message }, spot))
      }
    }
  }
  visit(root, [])
  return problems
}
