/** What people see of a fleet. */

export { type FleetEvent, listEvents } from './events.ts'
export { type CostRow, type ExecutionDetail, showExecution } from './execution.ts'
export { batchPicture, fleetPicture } from './pages.ts'
export { pull } from './pull.ts'
export { type BatchReport, reportOf } from './report.ts'
export { results } from './results.ts'
export {
  assertKnown,
  type BatchDetail,
  type BatchStatus,
  batchStatus,
  type ExecutionStatus,
  executionsOf,
  listBatches,
} from './status.ts'
export { listWorkers, type WorkerStatus } from './workers.ts'
