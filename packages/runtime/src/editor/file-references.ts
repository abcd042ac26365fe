import { posix } from 'node:path'
import type { Node } from 'jsonc-parser'
import type { JsonPath } from '../kit/index.ts'
import { type EditedText, fieldsIn, itemsIn, type Span, spanOf, wordOf } from './edited-text.ts'

/** What a field names: a text for a model, the configuration of a sentinel, or anything that is copied. */
export type NamedKind = 'prompt' | 'sentinel' | 'schema' | 'tree'

export interface FileReference {
  readonly kind: NamedKind
  readonly reference: string
  readonly span: Span
}

/** TABLE of the fields that name files, in a hank and in the configuration of a sentinel. */
const namingFields: Readonly<Record<string, NamedKind>> = {
  promptFile: 'prompt',
  appendSystemPromptFile: 'prompt',
  globalSystemPromptFile: 'prompt',
  systemPromptFile: 'prompt',
  userPromptFile: 'prompt',
  sentinelConfig: 'sentinel',
  schemaFile: 'schema',
}

/** What a file at a path would be for; undefined for a field that names none. */
export function namedKindAt(path: JsonPath): NamedKind | undefined {
  const steps = path.filter(step => typeof step === 'string')
  const last = steps.at(-1) ?? ''
  if (last === 'from' && steps.at(-2) === 'copy') return 'tree'
  return Object.hasOwn(namingFields, last) ? namingFields[last] : undefined
}

/** Every file that a document names, in its order. */
export function fileReferencesIn({ root }: EditedText): readonly FileReference[] {
  const found: FileReference[] = []
  const visit = (node: Node, path: JsonPath): void => {
    const word = wordOf(node)
    if (word !== undefined) {
      const kind = namedKindAt(path)
      if (kind !== undefined && word !== '') found.push({ kind, reference: word, span: spanOf(node) })
    }
    for (const [at, item] of itemsIn(node).entries()) visit(item, [...path, at])
    for (const { key, value } of fieldsIn(node)) visit(value, [...path, String(key.value)])
  }
  if (root) visit(root, [])
  return found
}

/** Where a reference leads, relative to the directory it starts in; undefined when it leads out or is no such path. */
export function insideOf(reference: string): string | undefined {
  if (reference.includes('\\') || reference.includes('\0') || posix.isAbsolute(reference)) return undefined
  const plain = posix.normalize(reference)
  return plain === '..' || plain.startsWith('../') ? undefined : plain
}
