import { setImmediate } from 'node:timers/promises'
import type { Timers } from '../src/platform.ts'

/** Time that moves only when a test says so. */
export interface ManualTimers extends Timers {
  /** Runs what is due within the next `ms`, in order, and lets everything that follows from it happen. */
  readonly advance: (ms: number) => Promise<void>
  readonly waiting: () => number
}

export function manualTimers(): ManualTimers {
  let now = 0
  const due = new Set<{ readonly at: number; readonly run: () => void }>()
  return {
    after(ms, run) {
      const timer = { at: now + ms, run }
      due.add(timer)
      return () => due.delete(timer)
    },
    async advance(ms) {
      const end = now + ms
      for (;;) {
        await settled()
        const next = [...due].filter(timer => timer.at <= end).sort((a, b) => a.at - b.at)[0]
        if (!next) break
        due.delete(next)
        now = next.at
        next.run()
      }
      now = end
    },
    waiting: () => due.size,
  }
}

/** Everything that is under way in memory has happened: linked transports need microtasks only. */
export async function settled(): Promise<void> {
  await setImmediate()
}
