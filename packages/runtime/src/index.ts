/** The engine, as the command line sees it. */

export type { WeaveState } from '@weave/protocol'
export { type Execution, type ExecutionOptions, startExecution } from './app.ts'
export {
  type ClassCost,
  type CodonCost,
  type CostReport,
  type Forecast,
  type ForecastLimit,
  type ForecastRow,
  forecast,
  type Observed,
  type ObservedCodon,
  type ObservedCosts,
  type SentinelCost,
  type WorstCase,
} from './budget/index.ts'
export { type DoctorOptions, examine } from './doctor.ts'
export { editorSchema, isSchemaKind, schemaKinds } from './editor-schema.ts'
export { executionStatus } from './execution-status.ts'
export {
  addSchemaLine,
  type Codon,
  type CodonBudget,
  type HankItem,
  hankHash,
  isLoop,
  type LoadedHank,
  type Loop,
  readSentinelFile,
  type SharedBudget,
} from './hank/index.ts'
export { runAgentWorker } from './harness/index.ts'
export { harnessesToCheck } from './harness-checks.ts'
export type { Harnesses, OwnPrograms, Program } from './harnesses.ts'
export {
  createRedactor,
  errorsOf,
  formatProblem,
  type LogLevel,
  logLevels,
  type Problem,
  runWarden,
  secretsOf,
  systemClock,
  warningsOf,
} from './kit/index.ts'
export { complete } from './llm/index.ts'
export { additionsOf, createRegistry, findModel, listModels, type ModelRow } from './models/index.ts'
export { buildPlan, type Plan, type PlannedCodon, type PlannedModel } from './plan/index.ts'
export { type Prepared, type PrepareOptions, prepare, settled, settledPaths } from './prepare.ts'
export { claimRecording, defaultUpstream } from './proxy/index.ts'
export { readRequests, type StoredRequest } from './proxy-ports.ts'
export {
  findExecution,
  type JournalDamage,
  readCosts,
  readEarlierCosts,
  readEvents,
} from './read-execution.ts'
export { type OpenRehearsal, openRehearsal, openReplayRehearsal } from './rehearsal.ts'
export type { RunnerEnd } from './runner/index.ts'
export {
  accessFrom,
  codonRuns,
  openWorkbench,
  runSandboxWorker,
  type Trial,
} from './sentinel/index.ts'
export { type FlagValue, listEnvironment, readGiven, type SettingField } from './settings/index.ts'
export { type RecordedSetting, readSettings } from './settings-record.ts'
export { openStoppedExecution, type RollbackWish, type StoppedExecution } from './stopped-execution.ts'
export { type CheckpointRow, readCheckpointRows } from './stopped-execution-list.ts'
export type { RollbackPreview } from './stopped-execution-rollback.ts'
export { type Holdings, type Tidied, tidyExecution } from './stopped-execution-space.ts'
export {
  type ExecutionLayout,
  hashData,
  listExecutions,
  noDataHash,
  type OpenedExecution,
  openExecution,
  readExecutionFile,
  readLock,
  storeInlineData,
} from './workspace/index.ts'
