import type { Clock } from '../kit/index.ts'

/** When the next look is due. All in milliseconds. */
export interface LookTimes {
  /** The first and the last sign of change since the last look began, if there was one. */
  readonly hints: { readonly first: number; readonly last: number } | undefined
  /** When the last look ended, and how long it took, telling included. */
  readonly lastLook: { readonly ended: number; readonly cost: number }
  /** Without any sign a look is due after this. */
  readonly pollEvery: number
}

/** Signs of change come in bursts: wait for the end of one, but not for ever. */
const quiet = 150
const longestBurst = 1_000
/** Parts of the time that looking may take: one in twenty when nothing is known to happen, one in five otherwise. */
const restWithoutHint = 19
const restWithHint = 4

/** On the scale of `monotonic`. Costly looks come rarely, so that looking never takes more than its part of a core. */
export function dueTime({ hints, lastLook, pollEvery }: LookTimes): number {
  const { ended, cost } = lastLook
  const poll = ended + Math.max(pollEvery, cost * restWithoutHint)
  if (!hints) return poll
  const burstOver = Math.min(hints.last + quiet, hints.first + longestBurst)
  return Math.min(poll, Math.max(burstOver, ended + cost * restWithHint))
}

export interface LookSchedule {
  /** Something may have changed. Costs next to nothing, so it may be called for every event of a watcher. */
  hint(): void
  /** A look is due now, whatever it costs. */
  demand(): void
  readonly isHinted: boolean
  pollEvery(ms: number): void
  /** Resolves when a look is due. Never rejects. One waiter at a time. */
  wait(): Promise<void>
  /** To be called around every look: hints that come during it are for the next. */
  begin(): void
  end(): void
}

export function createLookSchedule(clock: Clock, initialPoll: number): LookSchedule {
  let hints: LookTimes['hints']
  let demanded = false
  let pollEvery = initialPoll
  let began = clock.monotonic()
  let lastLook = { ended: began, cost: 0 }
  let sleep: AbortController | undefined

  async function wait(): Promise<void> {
    while (!demanded) {
      const left = dueTime({ hints, lastLook, pollEvery }) - clock.monotonic()
      if (left <= 0) return
      sleep = new AbortController()
      await clock.sleep(left, sleep.signal).catch(() => undefined)
      sleep = undefined
    }
  }

  return {
    wait,
    hint() {
      const now = clock.monotonic()
      // Later hints only move the end of the burst, which is looked at when the sleep for the first is over.
      if (!hints) sleep?.abort()
      hints = { first: hints?.first ?? now, last: now }
    },
    demand() {
      demanded = true
      sleep?.abort()
    },
    get isHinted() {
      return hints !== undefined
    },
    pollEvery(ms) {
      pollEvery = ms
    },
    begin() {
      hints = undefined
      demanded = false
      began = clock.monotonic()
    },
    end() {
      const ended = clock.monotonic()
      lastLook = { ended, cost: ended - began }
    },
  }
}
