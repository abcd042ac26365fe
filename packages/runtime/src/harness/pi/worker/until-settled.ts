import { setImmediate } from 'node:timers/promises'
import type { AgentSessionEvent } from '@earendil-works/pi-coding-agent'
import type { Clock } from '../../../kit/index.ts'

interface Subject {
  subscribe(listener: (event: AgentSessionEvent) => void): () => void
}

/** What follows a turn follows at once, but for another try after a compaction: that takes a tenth of a second. */
const retryWithinMs = 5_000

/**
 * Resolves when a turn is really over. The SDK's own promise resolves before a compaction begins and before the turn that
 * it repeats afterwards. To be called before the turn begins; never rejects. `stop`: nothing more is waited for than what
 * runs at that moment.
 */
export function untilSettled(session: Subject, clock: Clock, stop: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    let moment = 0
    const over = new AbortController()
    const unsubscribe = session.subscribe(event => {
      if (!milestones.has(event.type)) return
      moment++
      if (event.type === 'agent_end') void settleAfter(setImmediate())
      if (event.type !== 'compaction_end') return
      const isRepeated = event.willRetry && !stop.aborted
      void settleAfter(isRepeated ? clock.sleep(retryWithinMs, over.signal) : setImmediate())
    })

    /** Unless something happens until then. */
    async function settleAfter(wait: Promise<void>): Promise<void> {
      const now = moment
      await wait.catch(() => undefined)
      if (moment !== now || over.signal.aborted) return
      over.abort()
      unsubscribe()
      resolve()
    }
  })
}

const milestones: ReadonlySet<string> = new Set([
  'agent_start',
  'agent_end',
  'compaction_start',
  'compaction_end',
])
