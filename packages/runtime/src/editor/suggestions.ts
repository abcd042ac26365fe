import { type EventType, eventTypes } from '@weave/protocol'
import { getLocation, type Location } from 'jsonc-parser'
import { templateVariables } from '../hank/index.ts'
import type { JsonPath } from '../kit/index.ts'
import type { ModelRow } from '../models/index.ts'
import { readEdited, type Span, spanOf } from './edited-text.ts'
import { type NamedKind, namedKindAt } from './file-references.ts'
import { modelDetail } from './model-words.ts'
import { outlineOf } from './outline.ts'

/** The kinds of JSON files that a person writes. */
export type EditedKind = 'hank' | 'sentinel' | 'weave' | 'rehearsal'

/** One word that may stand in a place. */
export interface Suggestion {
  readonly label: string
  readonly detail?: string
  /** What is written in the place of `span`. */
  readonly text: string
  readonly span: Span
  readonly kind: 'model' | 'file' | 'id' | 'event' | 'variable'
  /** The lower, the earlier in the list. */
  readonly rank: number
}

/** What the text alone does not tell; each is asked for only where it is needed. */
export interface EditorFacts {
  readonly models: () => readonly ModelRow[]
  /** Files that may be named, relative to where references of this document start. */
  readonly files: (kind: NamedKind) => readonly string[]
  /** Ids of the codons of the hank that a script belongs to. */
  readonly codonIds: () => readonly string[]
  readonly sentinelIds: () => readonly string[]
  /** Names of variables that hold no secret. */
  readonly variables: () => readonly string[]
}

interface Word {
  readonly word: string
  readonly detail?: string
  readonly rank?: number
}

/** The words that fit at an offset and that no schema knows: models, files, ids, events, variables. */
export function suggestionsAt(
  kind: EditedKind,
  { text, offset }: { readonly text: string; readonly offset: number },
  facts: EditorFacts,
): readonly Suggestion[] {
  const edited = readEdited(text)
  if (!edited.root) return []
  const location = getLocation(text, offset)
  const span = spanAt(text, offset, location)
  if (location.isAtPropertyKey) {
    const ids = idsAt(kind, location.path, { outline: () => outlineOf(edited), facts })
    return ids.map((word, rank) => suggestion('id', { word, rank }, span))
  }
  const [group, words] = valuesAt(kind, location.path, facts)
  return words.map((word, at) => suggestion(group, { rank: at, ...word }, span))
}

/** The literal that is being written, or the bare word before the cursor. */
function spanAt(text: string, offset: number, { previousNode }: Location): Span {
  if (previousNode) {
    const span = spanOf(previousNode)
    if (offset > span.start && offset <= span.end) return span
  }
  let start = offset
  while (start > 0 && /[\w./-]/.test(text[start - 1] ?? '')) start--
  return { start, end: offset }
}

function suggestion(kind: Suggestion['kind'], { word, detail, rank = 0 }: Word, span: Span): Suggestion {
  return { kind, label: word, ...(detail && { detail }), text: JSON.stringify(word), span, rank }
}

type Source = {
  readonly outline: () => ReturnType<typeof outlineOf>
  readonly facts: EditorFacts
}

/** Ids that are keys: of shares in a hank, of answers in a script. */
function idsAt(kind: EditedKind, path: JsonPath, { outline, facts }: Source): readonly string[] {
  if (kind === 'rehearsal' && path.length === 2) {
    if (path[0] === 'codons') return [...facts.codonIds(), '*']
    return path[0] === 'sentinels' ? facts.sentinelIds() : []
  }
  if (kind !== 'hank' || path.at(-2) !== 'shares') return []
  const items = path[0] === 'overrides' ? outline() : (outline()[Number(path[1])]?.codons ?? [])
  return items.map(({ id }) => id).filter(id => id !== '')
}

function valuesAt(
  kind: EditedKind,
  path: JsonPath,
  facts: EditorFacts,
): readonly [Suggestion['kind'], readonly Word[]] {
  const named = kind === 'hank' || kind === 'sentinel' ? namedKindAt(path) : undefined
  if (named !== undefined) return ['file', facts.files(named).map(word => ({ word }))]
  if (path.at(-1) === 'model') return ['model', modelWords(facts.models())]
  if (kind === 'hank' && path[0] === 'requirements' && path[1] === 'env')
    return ['variable', facts.variables().map(word => ({ word }))]
  if (kind === 'sentinel' && isEventPath(path)) return ['event', ['*', ...observable].map(word => ({ word }))]
  return ['file', []]
}

/** Where a sentinel names the type of an event. */
function isEventPath(path: JsonPath): boolean {
  const [last, before, second] = [path.at(-1), path.at(-2), path.at(-3)]
  if (typeof last === 'number' && before === 'on') return true
  return last === 'type' && typeof before === 'number' && second === 'pattern'
}

const observable: readonly EventType[] = eventTypes

/** Aliases first, then whatever has a key; each under the shortest name that means it. */
function modelWords(rows: readonly ModelRow[]): readonly Word[] {
  const aliases = rows.flatMap(row => row.aliases.map(word => ({ word, detail: modelDetail(row), rank: 0 })))
  const full = rows.map(row => ({
    word: `${row.provider}/${row.id}`,
    detail: modelDetail(row),
    rank: row.hasCredential ? 1 : 2,
  }))
  return [...aliases, ...full]
}

/** What may follow `<%` in a prompt; the span is all that is written of it. */
export function templateSuggestions(text: string, offset: number): readonly Suggestion[] {
  const opened = text.lastIndexOf('<%', offset - 1)
  if (opened === -1 || !/^<%[A-Z_]*$/i.test(text.slice(opened, offset))) return []
  const rest = /^[A-Z_]*(?:%>)?/i.exec(text.slice(offset))?.[0].length ?? 0
  const span = { start: opened, end: offset + rest }
  return templateVariables.map((name, rank) => {
    const written = `<%${name}%>`
    return { kind: 'variable', label: written, text: written, span, rank }
  })
}
