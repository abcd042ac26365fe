import type { Tables } from '../engine/index.ts'
import { type CostRow, costsOf } from './execution.ts'
import { type FailureGroup, failuresOf } from './failures.ts'
import { type BatchDetail, batchStatus, type ExecutionStatus, executionsOf } from './status.ts'

export interface BatchReport {
  readonly batch: BatchDetail
  readonly executions: readonly ExecutionStatus[]
  readonly costs: readonly CostRow[]
  /** The most common reason first. */
  readonly failures: readonly FailureGroup[]
}

export async function reportOf(tables: Tables, id: string): Promise<BatchReport> {
  const batch = await batchStatus(tables, id)
  const executions = await executionsOf(tables, id)
  return {
    batch,
    executions,
    costs: await costsOf(tables, id),
    failures: await failuresOf(tables, { batch: id }),
  }
}
