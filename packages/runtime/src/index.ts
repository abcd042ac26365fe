/** The engine, as the command line sees it. */

export type { WeaveState } from '@weave/protocol'
export type { RollbackPreview } from './at-rest/index.ts'
export {
  type AnswerTaken,
  answerAtRest,
  type CheckpointRow,
  executionStatus,
  findPrompts,
  type GateQuestion,
  type Holdings,
  holdingsOf as executionHoldings,
  isFinished,
  type JournalDamage,
  lastPrompts,
  openStoppedExecution,
  type PromptFinder,
  previewAdoption,
  type ReadSpans,
  type RollbackWish,
  readCheckpointRows,
  readCosts,
  readEarlierCosts,
  readEvents,
  readGates,
  readPlans,
  readSpans,
  type StoppedExecution,
  type Tidied,
  tidyExecution,
  waitingGate,
} from './at-rest/index.ts'
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
export {
  type DoctorOptions,
  editorSchema,
  examine,
  isSchemaKind,
  missingHarnesses,
  type OpenRehearsal,
  openRehearsal,
  openReplayRehearsal,
  type Prepared,
  type PrepareOptions,
  prepare,
  schemaKinds,
  settled,
  settledPaths,
} from './check/index.ts'
export type { Harnesses, OwnPrograms, Program } from './execution/index.ts'
export {
  type Execution,
  type ExecutionOptions,
  type RecordedSetting,
  readRequests,
  readSettings,
  type StoredRequest,
  startExecution,
} from './execution/index.ts'
export { ensureDir } from './files/index.ts'
export {
  addSchemaLine,
  type Codon,
  type CodonBudget,
  effectiveModel,
  excerptAt,
  type HankItem,
  hankHash,
  isLoop,
  type LoadedHank,
  type Loop,
  loadPatterns,
  readSentinelFile,
  type SharedBudget,
} from './hank/index.ts'
export {
  type HarnessStanding,
  type HarnessWord,
  harnessFolder,
  harnessStandings,
  harnessWords,
  installableHarnesses,
  installHarness,
  installLine,
  isHarnessWord,
  pinOf,
  removeHarness,
  resolveHarness,
  runAgentWorker,
} from './harness/index.ts'
export {
  createAppender,
  createMatcher,
  createRedactor,
  didYouMean,
  errorsOf,
  formatProblem,
  keepTail,
  type LogLevel,
  logLevels,
  nearestNames,
  type Problem,
  runWarden,
  type Supervised,
  secretsOf,
  supervise,
  systemClock,
  warningsOf,
  wordsOf,
} from './kit/index.ts'
export { complete } from './llm/index.ts'
export { additionsOf, createRegistry, findModel, listModels, type ModelRow } from './models/index.ts'
export {
  type NotifyConfig,
  readNotifyFile,
  type TriedTarget,
  tryTargets,
} from './notify/index.ts'
export {
  type CollectorClient,
  collectorOf,
  type EndedSpan,
  endpointVariable,
  openCollector,
} from './otel/index.ts'
export {
  type Plan,
  type PlanDifference,
  type PlannedCodon,
  type PlannedItem,
  type PlannedLoop,
  planDifferences,
  plannedCodons,
} from './plan/index.ts'
export { claimRecording, defaultUpstream } from './proxy/index.ts'
export { createRuleMatcher, type Firing } from './rules/index.ts'
export type { RunnerEnd } from './runner/index.ts'
export { accessFrom, codonRuns, openWorkbench, runSandboxWorker, type Trial } from './sentinel/index.ts'
export {
  type FlagValue,
  listEnvironment,
  type RuleSetting,
  readEnvFile,
  readGiven,
  readRuntimeFile,
  type SettingField,
} from './settings/index.ts'
export {
  type ExecutionFile,
  type ExecutionLayout,
  executionLayout,
  type FoundExecution,
  hashData,
  type LockRecord,
  listExecutions,
  noDataHash,
  type OpenedExecution,
  openExecution,
  readExecutionFile,
  readLock,
  storeInlineData,
} from './workspace/index.ts'
