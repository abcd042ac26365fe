/** One line of a comparison; `skipped` stands for lines that are alike and far from any change. */
export type DiffLine =
  | { readonly kind: 'same' | 'added' | 'removed'; readonly text: string }
  | { readonly kind: 'skipped'; readonly count: number }

/** Lines around a change that are shown. */
const context = 3
/** How far two texts may be apart before they are simply shown one after the other. */
const longestSearch = 400

/**
 * What turns one text into another, line by line. Shortest possible where the texts are not too far apart (Myers'
 * greedy search); otherwise everything between the common beginning and end counts as replaced.
 */
export function lineDiff(before: string, after: string): readonly DiffLine[] {
  const a = linesOf(before)
  const b = linesOf(after)
  const start = commonStart(a, b)
  const end = commonEnd(a.slice(start), b.slice(start))
  const middleA = a.slice(start, a.length - end)
  const middleB = b.slice(start, b.length - end)
  const lines: readonly DiffLine[] = [
    ...a.slice(0, start).map(same),
    ...middle(middleA, middleB),
    ...a.slice(a.length - end).map(same),
  ]
  return shortened(lines)
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

const same = (text: string): DiffLine => ({ kind: 'same', text })
const added = (text: string): DiffLine => ({ kind: 'added', text })
const removed = (text: string): DiffLine => ({ kind: 'removed', text })

function middle(a: readonly string[], b: readonly string[]): readonly DiffLine[] {
  const trail = a.length > 0 && b.length > 0 ? search(a, b) : undefined
  return trail ? walkBack(a, b, trail) : [...a.map(removed), ...b.map(added)]
}

/** For each number of edits, how far along `a` every diagonal gets. Undefined: too far apart. */
function search(
  a: readonly string[],
  b: readonly string[],
): readonly ReadonlyMap<number, number>[] | undefined {
  const trail: ReadonlyMap<number, number>[] = []
  let reach = new Map<number, number>([[1, 0]])
  for (let edits = 0; edits <= Math.min(a.length + b.length, longestSearch); edits++) {
    const next = new Map(reach)
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const fromAbove = isFromAbove(reach, diagonal, edits)
      let x = fromAbove ? (reach.get(diagonal + 1) ?? 0) : (reach.get(diagonal - 1) ?? 0) + 1
      while (x < a.length && x - diagonal < b.length && a[x] === b[x - diagonal]) x++
      next.set(diagonal, x)
      if (x >= a.length && x - diagonal >= b.length) return [...trail, reach]
    }
    trail.push(reach)
    reach = next
  }
  return undefined
}

/** Whether a path that takes one more edit enters a diagonal from above (a line added) or from the left (one removed). */
function isFromAbove(reach: ReadonlyMap<number, number>, diagonal: number, edits: number): boolean {
  if (diagonal === -edits || diagonal === edits) return diagonal === -edits
  return (reach.get(diagonal - 1) ?? -1) < (reach.get(diagonal + 1) ?? -1)
}

function walkBack(
  a: readonly string[],
  b: readonly string[],
  trail: readonly ReadonlyMap<number, number>[],
): readonly DiffLine[] {
  const lines: DiffLine[] = []
  let x = a.length
  let y = b.length
  for (let edits = trail.length - 1; edits >= 0; edits--) {
    const reach = trail[edits] ?? new Map<number, number>()
    const fromAbove = isFromAbove(reach, x - y, edits)
    const diagonal = x - y + (fromAbove ? 1 : -1)
    const entry = reach.get(diagonal) ?? 0
    while (x > entry && y > entry - diagonal) {
      x--
      y--
      lines.push(same(a[x] ?? ''))
    }
    if (edits === 0) break
    lines.push(fromAbove ? added(b[y - 1] ?? '') : removed(a[x - 1] ?? ''))
    x = entry
    y = entry - diagonal
  }
  return lines.toReversed()
}

/** Without the long stretches in which nothing changed. */
function shortened(lines: readonly DiffLine[]): readonly DiffLine[] {
  const near = new Set<number>()
  lines.forEach((line, at) => {
    if (line.kind === 'same') return
    for (let other = at - context; other <= at + context; other++) near.add(other)
  })
  const kept: DiffLine[] = []
  let skipped = 0
  const note = (): void => {
    if (skipped > 0) kept.push({ kind: 'skipped', count: skipped })
    skipped = 0
  }
  lines.forEach((line, at) => {
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
