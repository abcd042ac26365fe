import { type Node, parseTree } from 'jsonc-parser'
import type { JsonPath } from '../kit/index.ts'

/** Offsets in a text, in UTF-16 units; the end is the one after the last character. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** A JSON text as it is while somebody types: perhaps not whole, read as far as it goes. */
export interface EditedText {
  readonly text: string
  readonly root: Node | undefined
}

/** A longer text is not read for help while typing; the loader refuses it anyway. */
const longestText = 10 * 1024 * 1024

export function readEdited(text: string): EditedText {
  if (text.length > longestText || nesting(text) > deepest) return { text, root: undefined }
  return { text, root: parseTree(text, [], { disallowComments: true }) }
}

/** The reader calls itself for each level: far more than the loader takes must not reach it. */
const deepest = 200

function nesting(text: string): number {
  let depth = 0
  let most = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === 0x5b || unit === 0x7b) most = Math.max(most, ++depth)
    else if (unit === 0x5d || unit === 0x7d) depth--
  }
  return most
}

export function spanOf({ offset, length }: Pick<Node, 'offset' | 'length'>): Span {
  return { start: offset, end: offset + length }
}

/** The value under a key of an object, and the key itself; of equal keys the last counts. */
export function fieldIn(
  node: Node | undefined,
  name: string,
): { readonly key: Node; readonly value: Node } | undefined {
  const found = fieldsIn(node).filter(({ key }) => key.value === name)
  return found.at(-1)
}

export function fieldsIn(node: Node | undefined): readonly { readonly key: Node; readonly value: Node }[] {
  if (node?.type !== 'object') return []
  return (node.children ?? []).flatMap(({ children: [key, value] = [] }) =>
    key && value ? [{ key, value }] : [],
  )
}

export function itemsIn(node: Node | undefined): readonly Node[] {
  return node?.type === 'array' ? (node.children ?? []) : []
}

/** The text that a node is, when it is one. */
export function wordOf(node: Node | undefined): string | undefined {
  return typeof node?.value === 'string' ? node.value : undefined
}

/** What stands at an offset: the text under it, and the path to it. */
export interface EditedPlace {
  readonly path: JsonPath
  readonly isKey: boolean
  readonly node: Node
}

/** The text, number or word at an offset, a key or a value; also right before and after it. Undefined between them. */
export function placeIn({ root }: EditedText, offset: number): EditedPlace | undefined {
  return root && searched(root, [], offset)
}

function searched(node: Node, path: JsonPath, offset: number): EditedPlace | undefined {
  if (offset < node.offset || offset > node.offset + node.length) return undefined
  if (node.type === 'array') {
    for (const [at, item] of itemsIn(node).entries()) {
      const found = searched(item, [...path, at], offset)
      if (found) return found
    }
    return undefined
  }
  if (node.type !== 'object') return { path, isKey: false, node }
  for (const { key, value } of fieldsIn(node)) {
    const whole = [...path, String(key.value)]
    if (offset >= key.offset && offset <= key.offset + key.length)
      return { path: whole, isKey: true, node: key }
    const found = searched(value, whole, offset)
    if (found) return found
  }
  return undefined
}
