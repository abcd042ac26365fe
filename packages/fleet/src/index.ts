/** The fleet: one hank over many data sets, worked on by whoever shares one engine. */

export { type FaultCode, FleetFault } from './fault.ts'
export { type Fleet, type FleetOptions, openFleet } from './fleet.ts'
export { type Submission, type Submitted, submit } from './submit/index.ts'
export type { FromTurn, ToTurn, TurnEnd, TurnJob, TurnProgram, TurnStep, TurnWord } from './turn/index.ts'
export {
  type BatchStatus,
  batchStatus,
  cancelBatch,
  type ExecutionStatus,
  executionsOf,
  listBatches,
  results,
} from './view/index.ts'
export { startWorker, type Worker, type WorkerOptions } from './worker/index.ts'
