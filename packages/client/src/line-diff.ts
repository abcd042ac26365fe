import { diffArrays } from 'diff'

/** One line of a comparison; `skipped` stands for lines that are alike and far from any change. */
export type DiffLine =
  | { readonly kind: 'same' | 'added' | 'removed'; readonly text: string }
  | { readonly kind: 'skipped'; readonly count: number }

/** Lines around a change that are shown. */
const context = 3
/** Edits after which the search gives up; it takes time and memory with the square of them. */
const mostEdits = 400

/**
 * What turns one text into another, line by line: the shortest edit script, or, where that is longer than `mostEdits`,
 * everything between the common beginning and end as replaced.
 */
export function lineDiff(before: string, after: string): readonly DiffLine[] {
  const a = linesOf(before)
  const b = linesOf(after)
  const start = commonStart(a, b)
  const end = commonEnd(a.slice(start), b.slice(start))
  return shortened([
    ...lines('same', a.slice(0, start)),
    ...edits(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...lines('same', a.slice(a.length - end)),
  ])
}

function linesOf(text: string): readonly string[] {
  if (text === '') return []
  const lines = text.split('\n')
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}

function commonStart(a: readonly string[], b: readonly string[]): number {
  let count = 0
  while (count < a.length && count < b.length && a[count] === b[count]) count++
  return count
}

function commonEnd(a: readonly string[], b: readonly string[]): number {
  let count = 0
  while (count < a.length && count < b.length && a.at(-1 - count) === b.at(-1 - count)) count++
  return count
}

function edits(a: readonly string[], b: readonly string[]): readonly DiffLine[] {
  const parts = diffArrays([...a], [...b], { maxEditLength: mostEdits })
  if (!parts) return [...lines('removed', a), ...lines('added', b)]
  return parts.flatMap(({ added, removed, value }) =>
    lines(added ? 'added' : removed ? 'removed' : 'same', value),
  )
}

function lines(kind: 'same' | 'added' | 'removed', texts: readonly string[]): readonly DiffLine[] {
  return texts.map(text => ({ kind, text }))
}

/** Without the long stretches in which nothing changed. */
function shortened(all: readonly DiffLine[]): readonly DiffLine[] {
  const near = new Set<number>()
  all.forEach((line, at) => {
    if (line.kind === 'same') return
    for (let other = at - context; other <= at + context; other++) near.add(other)
  })
  const kept: DiffLine[] = []
  let skipped = 0
  const note = (): void => {
    if (skipped > 0) kept.push({ kind: 'skipped', count: skipped })
    skipped = 0
  }
  all.forEach((line, at) => {
    if (!near.has(at)) {
      skipped++
      return
    }
    note()
    kept.push(line)
  })
  note()
  return kept
}
