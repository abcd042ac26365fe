import { clockText, type Ring, ringItems, type StreamEntry, type StreamKind } from 'weave-client'
import { type Line, line, type Span, type Style, span } from '../terminal/line.ts'
import type { Signs } from '../terminal/theme.ts'
import { displayWidth, fitting, wrapped } from '../terminal/width.ts'
import { editLines, fileEditOf } from './edit-diff.ts'
import { markdownLines } from './markdown.ts'
import type { Row, Rows } from './rows.ts'
import { isShown, matches, type StreamFilter } from './stream-filter.ts'
import { searchedText, shortPaths, shownText, type TextOptions, toolInput } from './stream-text.ts'

export interface StreamRowsOptions extends Omit<EntryOptions, 'unfolded' | 'search'> {
  readonly stream: Ring<StreamEntry>
  readonly filter: StreamFilter
  readonly isUnfolded: (entry: StreamEntry) => boolean
}

/** The stream as rows, and the entries that they come from. */
export interface StreamRows extends Rows {
  readonly entries: readonly StreamEntry[]
  /** Where each entry begins. */
  readonly starts: readonly number[]
  /** Which of the entries match the search. */
  readonly matches: readonly number[]
  /** Those of them that show it only when they are unfolded. */
  readonly hidesMatch: (entry: StreamEntry) => boolean
}

/**
 * Makes rows of the stream. What an entry looks like is kept until something about it changes, so that a page costs what
 * changed since the page before, however long the stream is.
 */
export function createStreamRows(): (options: StreamRowsOptions) => StreamRows {
  const looks = new WeakMap<StreamEntry, { readonly look: string; readonly lines: readonly Line[] }>()
  const searched = createSearchedTexts()
  return ({ stream, filter, isUnfolded, ...options }) => {
    const { search } = filter
    const linesOf = (entry: StreamEntry): readonly Line[] => {
      const unfolded = isUnfolded(entry)
      const look = `${options.width} ${unfolded} ${options.costs} ${options.root} ${search}`
      const known = looks.get(entry)
      if (known?.look === look) return known.lines
      const lines = entryLines(entry, { ...options, search, unfolded })
      looks.set(entry, { look, lines })
      return lines
    }
    const isMatch = (entry: StreamEntry): boolean => matches(searched(entry, options), search)
    const entries = ringItems(stream).filter(entry => isShown(entry, filter, isMatch))
    const found = search === '' ? [] : entries.flatMap((entry, index) => (isMatch(entry) ? [index] : []))
    const hidesMatch = (entry: StreamEntry): boolean =>
      !isUnfolded(entry) && !linesOf(entry).some(each => each.some(({ style }) => style === 'match'))
    const starts: number[] = []
    let length = 0
    for (const entry of entries) {
      starts.push(length)
      length += linesOf(entry).length
    }
    const at = (index: number): Row | undefined => {
      const which = entryAt(starts, index)
      const entry = index < length ? entries[which] : undefined
      if (!entry) return undefined
      const part = index - (starts[which] ?? 0)
      return { key: entry.id, part, line: linesOf(entry)[part] ?? [] }
    }
    const indexOf = (key: string): number => {
      const which = entries.findIndex(({ id }) => id === key)
      return starts[which] ?? -1
    }
    return { entries, starts, matches: found, hidesMatch, length, at, indexOf }
  }
}

/** Kept, because every page asks for all of them while something is searched for. */
function createSearchedTexts(): (entry: StreamEntry, options: Omit<TextOptions, 'unfolded'>) => string {
  const texts = new WeakMap<StreamEntry, { readonly look: string; readonly text: string }>()
  return (entry, { costs, root }) => {
    const look = `${costs} ${root}`
    const known = texts.get(entry)
    if (known?.look === look) return known.text
    const text = searchedText(entry, { costs, root })
    texts.set(entry, { look, text })
    return text
  }
}

/** The last entry that begins at or before a row. */
function entryAt(starts: readonly number[], row: number): number {
  let low = 0
  let high = starts.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((starts[middle] ?? 0) <= row) low = middle + 1
    else high = middle
  }
  return low - 1
}

interface EntryOptions extends TextOptions {
  readonly width: number
  /** Highlighted where it occurs; empty: nothing. */
  readonly search: string
  readonly signs: Signs
}

/** Rows that something foldable takes while it is folded. */
const foldedRows: { readonly [K in StreamKind]?: number } = { thinking: 1, tool: 1, result: 1, rig: 3 }
/** Rows that one entry may take at most. */
const mostRows = 2_000
/** Below this the time is left out. */
const widthForTime = 60

/** An entry of the stream as lines of a panel. */
function entryLines(entry: StreamEntry, options: EntryOptions): readonly Line[] {
  const { width, signs, search } = options
  const time = width >= widthForTime ? `${clockText(entry.time)} ` : ''
  const label = labelOf(entry, signs)
  const indent = time.length + 2
  const body = bodyOf(entry, { ...options, width: Math.max(10, width - indent - 1) }, label)
  return body.map((content, index) =>
    line(
      ' ',
      ...(index === 0 ? [span(time, 'dim'), label.sign] : [span(' '.repeat(indent))]),
      ...(index === 0 && label.name ? highlighted(label.name, search) : []),
      ...content.flatMap(each => highlighted(each, search)),
    ),
  )
}

/** What an entry says: a message drawn from its Markdown, an edit as what it changes, all else as text. */
function bodyOf(entry: StreamEntry, options: EntryOptions, label: Label): readonly Line[] {
  const { width, signs } = options
  const cutOff = entry.cut ? [line(span('… (cut)', 'dim'))] : []
  if (entry.kind === 'message' && entry.text !== '')
    return [...markdownLines(entry.text.trimEnd(), width, signs.pending).slice(0, mostRows), ...cutOff]
  const input = entry.kind === 'tool' && options.unfolded ? toolInput(entry.text) : undefined
  const edit = input && fileEditOf(input)
  if (edit) {
    const path = line(span(shortPaths(edit.path, options.root)))
    return [path, ...editLines(edit, width).slice(0, mostRows), ...cutOff]
  }
  const style = styleOf(entry)
  return textsOf(entry, options, label).map(text => [span(text, style)])
}

interface Label {
  readonly sign: Span
  readonly name: Span | undefined
}

function labelOf({ kind, source, failed }: StreamEntry, signs: Signs): Label {
  const named = (style: Style): Span | undefined =>
    source === undefined ? undefined : span(`${source} `, style)
  switch (kind) {
    case 'tool':
      return { sign: span(`${signs.folded} `, 'accent'), name: named('bold') }
    case 'result':
      return { sign: span('  '), name: undefined }
    case 'sentinel':
      return { sign: span('* ', 'accent'), name: named('accent') }
    case 'rig':
      return { sign: span('$ ', 'dim'), name: undefined }
    case 'codon':
    case 'run':
      return {
        sign: span(failed ? `${signs.failed} ` : `${signs.rule} `, failed ? 'bad' : 'accent'),
        name: undefined,
      }
    case 'error':
    case 'budget':
      return { sign: span('! ', 'bad'), name: undefined }
    case 'wait':
    case 'rollback':
      return { sign: span('! ', 'warn'), name: undefined }
    case 'thinking':
      return { sign: span('  '), name: span('thinking ', 'dim') }
    case 'message':
    case 'info':
      return { sign: span('  '), name: undefined }
  }
}

function styleOf({ kind, failed }: StreamEntry): Style {
  if (failed || kind === 'error') return 'bad'
  if (kind === 'thinking' || kind === 'result' || kind === 'rig' || kind === 'info') return 'dim'
  if (kind === 'codon' || kind === 'run') return 'bold'
  if (kind === 'wait' || kind === 'budget' || kind === 'rollback') return 'warn'
  return 'plain'
}

function textsOf(entry: StreamEntry, options: EntryOptions, { name }: Label): readonly string[] {
  const { width, unfolded } = options
  const text = shownText(entry, options)
  const most = unfolded ? mostRows : (foldedRows[entry.kind] ?? mostRows)
  // The name stands before the first line only: that line begins with as much less room.
  const gap = ' '.repeat(name?.text.length ?? 0)
  const all = wrapped(gap + text.trimEnd(), width, most + 1)
  const lines = all.slice(0, most).map((each, index) => (index === 0 ? each.slice(gap.length) : each))
  if (all.length > most) {
    const more = moreOf(text)
    const room = width - displayWidth(more) - (lines.length === 1 ? gap.length : 0)
    return lines.with(-1, fitting(lines.at(-1) ?? '', Math.max(0, room)) + more)
  }
  return entry.cut ? [...lines, '… (cut)'] : lines
}

function moreOf(text: string): string {
  const lines = text.trimEnd().split('\n').length
  return lines > 1 ? ` … ${lines} lines` : ' …'
}

function highlighted({ text, style = 'plain' }: Span, search: string): readonly Span[] {
  if (search === '') return [span(text, style)]
  const isExact = search !== search.toLowerCase()
  const hay = isExact ? text : text.toLowerCase()
  const spans: Span[] = []
  let from = 0
  for (let at = hay.indexOf(search); at >= 0; at = hay.indexOf(search, from)) {
    spans.push(span(text.slice(from, at), style), span(text.slice(at, at + search.length), 'match'))
    from = at + search.length
  }
  return [...spans, span(text.slice(from), style)].filter(each => each.text !== '')
}
