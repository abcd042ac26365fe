import type { SpendingPoint, TokenCounts, Transition } from '@weave/protocol'

export interface SpendingStep {
  /** ISO. */
  readonly timestamp: string
  readonly transition: Transition
  /** Of all runs, after the transition. */
  readonly dollars: number
}

const mostPoints = 400

/** Follows money and tokens through the transitions of a journal. The time between two runs does not count. */
export function createSpendingPoints(most = mostPoints) {
  const meter = createTokenMeter()
  const clock = createRunClock()
  let points: SpendingPoint[] = []
  return {
    add({ timestamp, transition, dollars }: SpendingStep): void {
      meter.add(transition)
      const ms = clock.read(transition, timestamp)
      const last = points.at(-1)
      const isNews =
        !last || last[1] !== dollars || last[2] !== meter.tokens || transition.type.startsWith('Run')
      if (clock.run === 0 || !isNews) return
      points.push([ms, dollars, meter.tokens, clock.run])
      if (points.length >= most * 2) points = thinned(points, most)
    },
    result: (): readonly SpendingPoint[] => (points.length > most ? thinned(points, most) : points),
  }
}

/** Milliseconds of runs, one run after the other. A clock that was set back does not take them back. */
function createRunClock() {
  let run = 0
  let before = 0
  let began = 0
  let now = 0
  return {
    get run() {
      return run
    },
    read({ type }: Transition, timestamp: string): number {
      if (type === 'RunStarted') {
        run++
        before = now
        began = Date.parse(timestamp)
      }
      // A run that crashed ends when the next one begins; that is not when it ended.
      if (type !== 'RunCrashed') now = Math.max(now, before + Date.parse(timestamp) - began)
      return now
    },
  }
}

/** Tokens of all attempts, from totals of the current one. */
function createTokenMeter() {
  let earlier = 0
  let current = 0
  return {
    get tokens() {
      return earlier + current
    },
    add({ type, data }: Transition): void {
      if (type === 'CodonStarted') {
        earlier += current
        current = 0
      }
      if (type === 'CostsUpdated' || (type === 'CodonFinalCostSet' && data.tokens)) current = sum(data.tokens)
      if (type === 'CostsIncremented') current += sum(data.tokens)
    },
  }
}

function sum(counts: TokenCounts | undefined): number {
  if (!counts) return 0
  return counts.inputTokens + counts.outputTokens + counts.cacheCreationTokens + counts.cacheReadTokens
}

/** Of points that lie close together the last: it holds what the earlier ones do. */
function thinned(points: readonly SpendingPoint[], most: number): SpendingPoint[] {
  const step = Math.max(1, ((points.at(-1)?.[0] ?? 0) + 1) / most)
  const kept = new Map(points.map(point => [Math.floor(point[0] / step), point]))
  return [...kept.values()]
}
