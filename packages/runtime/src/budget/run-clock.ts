import type { TokenCounts, Transition } from '@weave/protocol'

/** Milliseconds of runs, one run after the other. A clock that was set back does not take them back. */
export function createRunClock() {
  let run = 0
  let before = 0
  let began = 0
  let now = 0
  return {
    get run() {
      return run
    },
    read({ type }: Pick<Transition, 'type'>, timestamp: string): number {
      if (type === 'RunStarted') {
        run++
        before = now
        began = Date.parse(timestamp)
      }
      // A run that crashed ends when the next one begins; that is not when it ended.
      if (type !== 'RunCrashed') now = Math.max(now, before + Date.parse(timestamp) - began)
      return now
    },
    /** Of an event that is no transition. */
    at: (timestamp: string): number =>
      run === 0 ? 0 : Math.max(now, before + Date.parse(timestamp) - began),
  }
}

/** Tokens of all attempts, from totals of the current one. */
export function createTokenMeter() {
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
