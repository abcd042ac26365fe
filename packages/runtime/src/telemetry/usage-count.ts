import type { JournaledEvent } from '@weave/protocol'
import type { FailureType } from './payload.ts'

/** Numbers of a run, counted from its events. */
export interface UsageCount {
  readonly codonsEnded: number
  readonly retries: number
  readonly rollbacks: number
  readonly budgetStops: number
  readonly failures: Readonly<Partial<Record<FailureType, number>>>
}

/** Takes each event once. Keeps numbers only; an event that it does not count costs one comparison. */
export function createUsageCount() {
  const failures: Partial<Record<FailureType, number>> = {}
  const counts = { codonsEnded: 0, retries: 0, rollbacks: 0, budgetStops: 0 }
  return {
    add({ type, data }: JournaledEvent): void {
      if (type === 'codon.retrying') counts.retries++
      if (type === 'rollback.completed') counts.rollbacks++
      if (type === 'budget.exceeded') counts.budgetStops++
      if (type !== 'codon.completed') return
      counts.codonsEnded++
      if (data.success) return
      const failure = data.failureReason?.type ?? 'unknown'
      failures[failure] = (failures[failure] ?? 0) + 1
    },
    read: (): UsageCount => ({ ...counts, failures: { ...failures } }),
  }
}
