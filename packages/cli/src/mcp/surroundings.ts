import { systemClock } from '@weave/runtime'
import { createConfirmations } from './confirmations.ts'
import { createStartedRuns } from './started-runs.ts'
import { createSubscriptions } from './subscriptions.ts'
import type { Surroundings } from './tool.ts'

export type Given = Omit<Surroundings, 'confirmations' | 'started' | 'journals' | 'whole' | 'canAsk'>

/** What all tools of one server share. `rest`: when nothing is at work that must not be cut off half-way. */
export function surroundingsOf(given: Given, canAsk: () => boolean) {
  const working = new Set<Promise<unknown>>()
  const at: Surroundings = {
    ...given,
    confirmations: createConfirmations(systemClock),
    started: createStartedRuns(async layout => (await import('./places.ts')).isHeld(layout)),
    journals: new Map(),
    canAsk,
    whole: work => {
      working.add(work)
      return work.finally(() => working.delete(work))
    },
  }
  const rest = async (): Promise<void> => void (await Promise.allSettled(working))
  return { at, subscriptions: createSubscriptions(at), rest }
}
