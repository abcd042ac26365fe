import type { SentinelConfig } from '../hank/index.ts'
import { type Batch, createBatch } from './batch.ts'
import type { ObservedEvent } from './observed.ts'

/**
 * When a sentinel that was woken goes to work, and on which events. Pure over the times that it is given, which are
 * milliseconds that never go back.
 */
export interface Strategy {
  /** Takes in what made the trigger fire. Returns the batch that is due with it, if one is. */
  add(events: readonly ObservedEvent[], now: number): Batch | undefined
  /** When what is pending falls due; undefined when nothing is pending, or when it does not depend on time. */
  readonly dueAt: number | undefined
  /** What is pending, due or not; nothing is pending afterwards. */
  take(): Batch | undefined
}

export function createStrategy(execution: SentinelConfig['execution']): Strategy {
  const batch = createBatch()
  let dueAt: number | undefined

  function take(): Batch | undefined {
    dueAt = undefined
    return batch.size === 0 ? undefined : batch.take()
  }

  function add(events: readonly ObservedEvent[], now: number): Batch | undefined {
    // A timer may be late; what comes after the moment belongs to the next batch.
    const overdue = dueAt !== undefined && now >= dueAt ? take() : undefined
    batch.add(events)
    switch (execution.strategy) {
      case 'immediate':
        return take()
      case 'count':
        return batch.size >= execution.threshold ? take() : undefined
      case 'debounce':
        dueAt = now + execution.milliseconds
        return overdue
      case 'timeWindow':
        dueAt ??= now + execution.milliseconds
        return overdue
    }
  }

  return {
    add,
    take,
    get dueAt() {
      return dueAt
    },
  }
}
