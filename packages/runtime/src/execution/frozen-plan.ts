import type { History } from '../journal/index.ts'
import type { Plan } from '../plan/index.ts'

/** The plan that an execution began with; undefined for one that has not begun. It is among the first events. */
export async function frozenPlan(history: History): Promise<Plan | undefined> {
  for await (const page of history.pages({ upTo: 50 })) {
    for (const stored of page.events) {
      const event = await history.event(stored)
      if (event?.type === 'preflight.result' && event.data.plan) {
        // Written by `freeze`; the checksum of its line proves that nobody else has touched it.
        return event.data.plan as unknown as Plan
      }
    }
  }
  return undefined
}
