import type { Clock } from './clock.ts'
import type { Moment } from './leash.ts'

/** A clock for what is on a leash: it stands while that may not act, so nothing is late only because it stood still. */
export interface LeashedClock extends Clock {
  /** It goes until then, or goes on until then. */
  extend(until: Moment): void
}

const lookEveryMs = 100

export function createLeashedClock(base: Clock, until: Moment): LeashedClock {
  let end = until.monotonicMs
  let stoodMs = 0
  /** It never goes back, also when its time is cut short. */
  let latest = Number.NEGATIVE_INFINITY
  const isFresh = (): boolean => base.monotonic() < end
  // Also when nobody looked meanwhile, because this process stood still itself.
  const monotonic = (): number => {
    latest = Math.max(latest, Math.min(base.monotonic(), end) - stoodMs)
    return latest
  }
  return {
    now: base.now,
    monotonic,
    async sleep(ms, signal) {
      const deadline = monotonic() + ms
      for (let left = ms; left > 0; left = deadline - monotonic())
        await base.sleep(isFresh() ? left : Math.max(left, lookEveryMs), signal)
    },
    every: (ms, tick) =>
      base.every(ms, () => {
        if (isFresh()) tick()
      }),
    extend({ monotonicMs }) {
      // Heard of so late that it is over again, it was not used: the clock still stands.
      stoodMs += Math.max(0, Math.min(base.monotonic(), monotonicMs) - end)
      end = monotonicMs
    },
  }
}
