import type { Node } from 'jsonc-parser'
import { type EditedText, fieldIn, fieldsIn, itemsIn, type Span, spanOf, wordOf } from './edited-text.ts'

/** A codon or a loop of a hank, as far as it is written. */
export interface OutlineItem {
  readonly kind: 'codon' | 'loop'
  readonly id: string
  /** Its name, or its id. */
  readonly title: string
  readonly whole: Span
  /** The text with the quotes; undefined when there is none. */
  readonly idSpan: Span | undefined
  /** Where `continuationMode` says that it goes on with another one. */
  readonly continues: Span | undefined
  readonly node: Node
  readonly codons: readonly OutlineItem[]
}

/** The codons and loops in the order of the file. Items without an id have an empty one. */
export function outlineOf({ root }: EditedText): readonly OutlineItem[] {
  return itemsIn(fieldIn(root, 'hank')?.value).flatMap(node => (node.type === 'object' ? [itemOf(node)] : []))
}

/** Loops and codons in one list, a loop before its own. */
export function flatOutline(items: readonly OutlineItem[]): readonly OutlineItem[] {
  return items.flatMap(item => [item, ...item.codons])
}

function itemOf(node: Node): OutlineItem {
  const idNode = fieldIn(node, 'id')?.value
  const id = wordOf(idNode) ?? ''
  const isLoop = wordOf(fieldIn(node, 'type')?.value) === 'loop'
  const mode = fieldIn(node, 'continuationMode')?.value
  return {
    kind: isLoop ? 'loop' : 'codon',
    id,
    title: wordOf(fieldIn(node, 'name')?.value) ?? id,
    whole: spanOf(node),
    idSpan: idNode?.type === 'string' ? spanOf(idNode) : undefined,
    continues: mode && wordOf(mode) === 'continue-previous' ? spanOf(mode) : undefined,
    node,
    codons: isLoop
      ? itemsIn(fieldIn(node, 'codons')?.value).flatMap(inner =>
          inner.type === 'object' ? [itemOf(inner)] : [],
        )
      : [],
  }
}

/** The codons whose conversation a codon may go on with: the one before it and, for the first of a loop, the loop's last. */
export function continuedBy(
  items: readonly OutlineItem[],
  codon: Pick<OutlineItem, 'node'>,
): readonly OutlineItem[] {
  const codons = items.flatMap(item => (item.kind === 'loop' ? item.codons : [item]))
  const at = codons.findIndex(({ node }) => node === codon.node)
  const before = codons[at - 1]
  const loop = items.find(({ codons: inner }) => inner[0]?.node === codon.node)
  const last = loop?.codons.at(-1)
  return [...(before ? [before] : []), ...(last && last !== before ? [last] : [])]
}

/** A place that names a codon or a loop by its id. */
export interface IdMention {
  readonly id: string
  /** The text with the quotes. */
  readonly span: Span
}

/** The keys of `shares`, of the hank and of its loops. */
export function sharesIn({ root }: EditedText): readonly IdMention[] {
  const budgets = [
    fieldIn(fieldIn(root, 'overrides')?.value, 'budget'),
    ...itemsIn(fieldIn(root, 'hank')?.value).map(item => fieldIn(item, 'budget')),
  ]
  return budgets.flatMap(budget => keysOf(fieldIn(budget?.value, 'shares')?.value))
}

/** The keys of `codons` in a `rehearsal.json`: ids, and ids with the number of an iteration. */
export function scriptedIn({ root }: EditedText): readonly IdMention[] {
  return keysOf(fieldIn(root, 'codons')?.value).map(({ id, span }) => ({ id: id.replace(/#\d+$/, ''), span }))
}

function keysOf(node: Node | undefined): readonly IdMention[] {
  return fieldsIn(node).map(({ key }) => ({ id: String(key.value), span: spanOf(key) }))
}
