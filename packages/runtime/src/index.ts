/** The engine, as the command line sees it. */

export type { WeaveState } from '@weave/protocol'
export { type Execution, startExecution } from './app.ts'
export { editorSchema, isSchemaKind, schemaKinds } from './editor-schema.ts'
export { executionStatus } from './execution-status.ts'
export {
  addSchemaLine,
  type BudgetRow,
  budgetTable,
  type Codon,
  type CodonBudget,
  type HankItem,
  hankHash,
  isLoop,
  type LoadedHank,
  type Loop,
  type SharedBudget,
} from './hank/index.ts'
export { createScriptedHarness, type HarnessSpec, type ScriptStep } from './harness/index.ts'
export { errorsOf, formatProblem, type Problem, systemClock, warningsOf } from './kit/index.ts'
export { additionsOf, createRegistry, findModel, listModels, type ModelRow } from './models/index.ts'
export { buildPlan, type Plan, type PlannedModel } from './plan/index.ts'
export { type Prepared, prepare, settledPaths } from './prepare.ts'
export { findExecution, readEvents } from './read-execution.ts'
export type { RunnerEnd } from './runner/index.ts'
export { type FlagValue, listEnvironment, type SettingField } from './settings/index.ts'
export {
  hashData,
  listExecutions,
  noDataHash,
  type OpenedExecution,
  openExecution,
  storeInlineData,
} from './workspace/index.ts'
