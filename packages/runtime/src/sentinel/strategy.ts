import type { SentinelConfig } from '../hank/index.ts'
import { type Batch, createBatch, type Delivery, pieceOf } from './event-batch.ts'
import type { ObservedEvent } from './events.ts'

/**
 * When a sentinel that was woken goes to work, and on which events. Pure over the times that it is given, which are
 * milliseconds that never go back.
 */
export type Strategy = ReturnType<typeof createStrategy>

export function createStrategy(execution: SentinelConfig['execution']) {
  let batch = createBatch()
  let dueAt: number | undefined

  /** What is pending, due or not; nothing is pending afterwards. */
  function take(): Batch | undefined {
    dueAt = undefined
    if (batch.size === 0) return undefined
    const taken = batch.content()
    batch = createBatch()
    return taken
  }

  /** Takes in what made the trigger fire. Returns the batch that is due with it, if one is. */
  function add(events: readonly ObservedEvent[], now: number): Batch | undefined {
    // A timer may be late; what comes after the moment belongs to the next batch.
    const overdue = dueAt !== undefined && now >= dueAt ? take() : undefined
    batch.add(pieceOf(events), 1)
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

  /** When the pending batch is due with these events in it; undefined when one of them makes a batch due. */
  function dueWith({ events, times }: Delivery): { readonly at: number | undefined } | undefined {
    const [first = 0] = times
    const last = times.at(-1) ?? first
    switch (execution.strategy) {
      case 'immediate':
        return undefined
      case 'count':
        return batch.size + events.length < execution.threshold ? { at: undefined } : undefined
      case 'debounce': {
        const isQuiet = (dueAt === undefined || first < dueAt) && last < first + execution.milliseconds
        return isQuiet ? { at: last + execution.milliseconds } : undefined
      }
      case 'timeWindow': {
        const at = dueAt ?? first + execution.milliseconds
        return last < at ? { at } : undefined
      }
    }
  }

  return {
    add,
    /** Takes in events each of which made the trigger fire, unless one makes a batch due: then `false`, and nothing is done. */
    addQuietly(delivery: Delivery): boolean {
      const due = dueWith(delivery)
      if (!due) return false
      dueAt = due.at
      batch.add(delivery, delivery.events.length)
      return true
    },
    take,
    /** When what is pending falls due; undefined when nothing is pending, or when it does not depend on time. */
    get dueAt() {
      return dueAt
    },
  }
}
