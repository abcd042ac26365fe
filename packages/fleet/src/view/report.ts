import type { Engine } from '../engine/index.ts'
import { type CostRow, costsOf } from './execution.ts'
import { type BatchDetail, batchStatus, type ExecutionStatus, executionsOf } from './status.ts'

export interface FailureGroup {
  readonly state: string
  readonly reason: string
  readonly executions: readonly string[]
}

export interface BatchReport {
  readonly batch: BatchDetail
  readonly executions: readonly ExecutionStatus[]
  readonly costs: readonly CostRow[]
  /** The most common reason first. */
  readonly failures: readonly FailureGroup[]
}

export async function reportOf(engine: Engine, id: string): Promise<BatchReport> {
  const batch = await batchStatus(engine, id)
  const executions = await executionsOf(engine, id)
  return { batch, executions, costs: await costsOf(engine, id), failures: failuresOf(executions) }
}

function failuresOf(executions: readonly ExecutionStatus[]): readonly FailureGroup[] {
  const groups = new Map<string, FailureGroup>()
  for (const { id, state, reason } of executions) {
    if (state !== 'failed' && state !== 'dead' && state !== 'cancelled') continue
    const words = reason ?? 'no reason was given'
    const key = `${state} ${words}`
    const before = groups.get(key)?.executions ?? []
    groups.set(key, { state, reason: words, executions: [...before, id] })
  }
  return [...groups.values()].toSorted((left, right) => right.executions.length - left.executions.length)
}
