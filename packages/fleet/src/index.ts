/** The fleet: one hank over many data sets, worked on by whoever shares one engine. */

export { collectGarbage, examineFleet, type Finding, type Garbage } from './care/index.ts'
export { faultOf, type Lookout, openLookout, stopEmbedded } from './engine/index.ts'
export { type FaultCode, FleetFault } from './fault.ts'
export { type Fleet, type FleetOptions, openFleet } from './fleet.ts'
export {
  createFigureReader,
  type MetricsDoor,
  metricsAddress,
  openMetricsDoor,
  pageOf,
  readingsOf,
  seriesOf,
} from './metrics/index.ts'
export { type BatchMoney, batchMoney, setBudget, settleDoubt } from './money/index.ts'
export { cancel, decide, drain, pause, resume, retry } from './orders/index.ts'
export { makeRoles, schemaOf } from './sql/migrate.ts'
export { noKey } from './store/index.ts'
export { type DataSet, type Submission, type Submitted, submit, type Weighed, weigh } from './submit/index.ts'
export { createOnlooker, type TailEvent } from './tail/index.ts'
export { listThrottles, type ProviderLimits, setThrottle, type ThrottleWish } from './throttle/index.ts'
export type {
  CodonCosts,
  FromTurn,
  GateAnswer,
  RequestFacts,
  RequestOutcome,
  RequestWord,
  ToTurn,
  TurnEnd,
  TurnJob,
  TurnProgram,
  TurnStep,
  TurnWord,
} from './turn/index.ts'
export {
  assertKnown,
  type BatchDetail,
  type BatchReport,
  type BatchStatus,
  batchPicture,
  batchStatus,
  type CostRow,
  type ExecutionDetail,
  type ExecutionStatus,
  executionsOf,
  type FleetEvent,
  fleetPicture,
  listBatches,
  listEvents,
  listWorkers,
  pull,
  reportOf,
  results,
  showExecution,
  type WorkerStatus,
} from './view/index.ts'
export { type PausedBatch, startWorker, type Worker, type WorkerOptions } from './worker/index.ts'
