import { diffWordsWithSpace, parsePatch } from 'diff'

/** A unified diff as rows, with the words that changed. Loaded when somebody looks at one. Pure. */
export interface DiffRow {
  readonly kind: 'same' | 'added' | 'removed' | 'note'
  readonly before?: number
  readonly after?: number
  readonly words: readonly { readonly text: string; readonly isChanged: boolean }[]
}

export interface DiffHunk {
  readonly title: string
  readonly rows: readonly DiffRow[]
}

/** Longer lines, and larger blocks, get no marks on words: finding them takes too long. */
const longestLine = 1_000
const mostPairs = 400

export function hunksOf(patch: string): readonly DiffHunk[] {
  return parsePatch(patch).flatMap(file =>
    file.hunks.map(hunk => ({
      title: `@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`,
      rows: withWords(rowsOf(hunk.lines, hunk.oldStart, hunk.newStart)),
    })),
  )
}

function rowsOf(lines: readonly string[], oldStart: number, newStart: number): readonly DiffRow[] {
  let before = oldStart
  let after = newStart
  return lines.map((line): DiffRow => {
    const words = [{ text: line.slice(1), isChanged: false }]
    if (line.startsWith('+')) return { kind: 'added', after: after++, words }
    if (line.startsWith('-')) return { kind: 'removed', before: before++, words }
    if (line.startsWith('\\')) return { kind: 'note', words }
    return { kind: 'same', before: before++, after: after++, words }
  })
}

/** Removed lines and the added ones after them are taken in pairs. */
function withWords(rows: readonly DiffRow[]): readonly DiffRow[] {
  const out = [...rows]
  let pairs = 0
  for (let at = 0; at < out.length; ) {
    const removed = run(out, at, 'removed')
    const added = run(out, at + removed, 'added')
    for (let each = 0; each < Math.min(removed, added) && pairs < mostPairs; each++, pairs++) {
      const [left, right] = [out[at + each], out[at + removed + each]]
      if (left && right) [out[at + each], out[at + removed + each]] = paired(left, right)
    }
    at += Math.max(1, removed + added)
  }
  return out
}

function run(rows: readonly DiffRow[], from: number, kind: DiffRow['kind']): number {
  let count = 0
  while (rows[from + count]?.kind === kind) count++
  return count
}

function paired(left: DiffRow, right: DiffRow): [DiffRow, DiffRow] {
  const [before, after] = [textOf(left), textOf(right)]
  if (before.length > longestLine || after.length > longestLine) return [left, right]
  const parts = diffWordsWithSpace(before, after)
  const side = (key: 'added' | 'removed') =>
    parts
      .filter(part => (key === 'added' ? !part.removed : !part.added))
      .map(part => ({ text: part.value, isChanged: part[key] === true }))
  return [
    { ...left, words: side('removed') },
    { ...right, words: side('added') },
  ]
}

function textOf({ words }: DiffRow): string {
  return words.map(({ text }) => text).join('')
}

/** Rows beside each other: what was removed to the left of what was added. */
export function sideBySide(
  rows: readonly DiffRow[],
): readonly (readonly [DiffRow | undefined, DiffRow | undefined])[] {
  const out: (readonly [DiffRow | undefined, DiffRow | undefined])[] = []
  for (let at = 0; at < rows.length; ) {
    const removed = run(rows, at, 'removed')
    const added = run(rows, at + removed, 'added')
    for (let each = 0; each < Math.max(removed, added); each++)
      out.push([
        each < removed ? rows[at + each] : undefined,
        each < added ? rows[at + removed + each] : undefined,
      ])
    const row = rows[at]
    if (removed + added === 0) out.push([row, row])
    at += Math.max(1, removed + added)
  }
  return out
}
