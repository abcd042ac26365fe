/** How often something was so much: counts up to each border, as scrapers want them. */
export interface Histogram {
  readonly borders: readonly number[]
  /** So many were at most the border of the same place. */
  readonly upTo: readonly number[]
  readonly sum: number
  readonly count: number
}

/** What one worker has done since it started. It only grows. */
export interface Tally {
  readonly turns: number
  /** Those of them that went on after one that ended without a word. */
  readonly takeOvers: number
  readonly publishSeconds: Histogram
  readonly parcelBytes: Histogram
}

export interface Counter {
  turn(claim: { readonly isTakeOver: boolean }): void
  /** No bytes: the engine had the head already, and its answer was lost. */
  published(head: { readonly ms: number; readonly bytes: number }): void
  read(): Tally
}

/** A hand-over takes a fraction of a second, unless the store or the engine is away. */
const secondBorders = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]
const byteBorders = [1e4, 1e5, 1e6, 1e7, 1e8, 1e9]

export function createCounter(): Counter {
  let turns = 0
  let takeOvers = 0
  const seconds = histogramOf(secondBorders)
  const sizes = histogramOf(byteBorders)
  return {
    turn({ isTakeOver }) {
      turns++
      if (isTakeOver) takeOvers++
    },
    published({ ms, bytes }) {
      seconds.add(ms / 1_000)
      if (bytes > 0) sizes.add(bytes)
    },
    read: () => ({ turns, takeOvers, publishSeconds: seconds.read(), parcelBytes: sizes.read() }),
  }
}

function histogramOf(borders: readonly number[]) {
  const upTo = borders.map(() => 0)
  let sum = 0
  let count = 0
  return {
    add(value: number): void {
      sum += value
      count++
      for (const [at, border] of borders.entries()) if (value <= border) upTo[at] = (upTo[at] ?? 0) + 1
    },
    read: (): Histogram => ({ borders, upTo: [...upTo], sum, count }),
  }
}
