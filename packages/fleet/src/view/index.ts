/** What people see of a fleet. */

export { results } from './results.ts'
export {
  type BatchStatus,
  batchStatus,
  cancelBatch,
  type ExecutionStatus,
  executionsOf,
  listBatches,
} from './status.ts'
