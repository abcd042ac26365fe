/** Two rows of things held against each other. Pure; what is said of (a, b) is said of (b, a) with the sides exchanged. */

export interface Alignment {
  readonly same: number
  readonly onlyLeft: number
  readonly onlyRight: number
  /** The place in both where they differ first; absent: they are the same. */
  readonly first?: number
}

/** More cells than this are not computed: then only how often each thing occurs is held against each other. */
const mostCells = 4_000_000

/** Rows of equal or different numbers, however long. */
export function alignNumbers(left: ArrayLike<number>, right: ArrayLike<number>): Alignment {
  const shorter = Math.min(left.length, right.length)
  let begin = 0
  while (begin < shorter && left[begin] === right[begin]) begin++
  if (begin === left.length && begin === right.length) return { same: begin, onlyLeft: 0, onlyRight: 0 }
  let end = 0
  while (end < shorter - begin && left[left.length - 1 - end] === right[right.length - 1 - end]) end++
  const [before, after] = [middle(left, begin, end), middle(right, begin, end)]
  const inMiddle =
    before.length * after.length <= mostCells ? longestCommon(before, after) : inBoth(before, after)
  const same = begin + end + inMiddle
  return { same, onlyLeft: left.length - same, onlyRight: right.length - same, first: begin }
}

function middle(row: ArrayLike<number>, begin: number, end: number): readonly number[] {
  return Array.from({ length: row.length - begin - end }, (_, at) => row[begin + at] ?? 0)
}

function longestCommon(left: readonly number[], right: readonly number[]): number {
  let before = new Uint32Array(right.length + 1)
  for (const one of left) {
    const row = new Uint32Array(right.length + 1)
    for (const [at, other] of right.entries())
      row[at + 1] = one === other ? (before[at] ?? 0) + 1 : Math.max(before[at + 1] ?? 0, row[at] ?? 0)
    before = row
  }
  return before[right.length] ?? 0
}

function inBoth(left: readonly number[], right: readonly number[]): number {
  const counts = new Map<number, number>()
  for (const one of left) counts.set(one, (counts.get(one) ?? 0) + 1)
  let same = 0
  for (const one of right) {
    const known = counts.get(one) ?? 0
    if (known === 0) continue
    counts.set(one, known - 1)
    same++
  }
  return same
}

/** One thing, or what stands for it on each side. */
export interface Pair {
  readonly id: string
  readonly inLeft: boolean
  readonly inRight: boolean
}

/** Rows of names, each of which occurs once in a row: along the longest row of names that both have in the same order. */
export function alignNames(left: readonly string[], right: readonly string[]): readonly Pair[] {
  // Which of several longest rows is taken must not depend on which side comes first.
  if (left.join('\n') > right.join('\n'))
    return inOrder(right, left).map(({ id, inLeft, inRight }) => ({ id, inLeft: inRight, inRight: inLeft }))
  return inOrder(left, right)
}

function inOrder(left: readonly string[], right: readonly string[]): readonly Pair[] {
  const kept = new Set(commonNames(left, right))
  const pairs: Pair[] = []
  let at = 0
  for (const id of left) {
    if (!kept.has(id)) {
      pairs.push({ id, inLeft: true, inRight: false })
      continue
    }
    for (; right[at] !== id; at++) pairs.push({ id: right[at] ?? '', inLeft: false, inRight: true })
    pairs.push({ id, inLeft: true, inRight: true })
    at++
  }
  for (const id of right.slice(at)) pairs.push({ id, inLeft: false, inRight: true })
  return pairs
}

/** With names that occur once the longest common row is the longest growing row of places. */
function commonNames(left: readonly string[], right: readonly string[]): readonly string[] {
  const placeOf = new Map(right.map((id, at) => [id, at]))
  const shared = left.filter(id => placeOf.has(id))
  const places = shared.map(id => placeOf.get(id) ?? 0)
  const best = places.map(() => 1)
  const from = places.map(() => -1)
  for (const [at, place] of places.entries())
    for (let earlier = 0; earlier < at; earlier++)
      if ((places[earlier] ?? 0) < place && (best[earlier] ?? 0) + 1 > (best[at] ?? 0)) {
        best[at] = (best[earlier] ?? 0) + 1
        from[at] = earlier
      }
  const longest = best.reduce((most, length) => Math.max(most, length), 0)
  const names: string[] = []
  for (let at = best.indexOf(longest); at >= 0; at = from[at] ?? -1) names.push(shared[at] ?? '')
  return names.reverse()
}
