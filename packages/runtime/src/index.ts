/** The engine, as the command line sees it. */
export { type ExecutionOptions, execute } from './app.ts'
export { editorSchema, isSchemaKind, schemaKinds } from './editor-schema.ts'
export {
  addSchemaLine,
  type BudgetRow,
  budgetTable,
  type Codon,
  type CodonBudget,
  type HankItem,
  isLoop,
  type LoadedHank,
  type Loop,
  type SharedBudget,
} from './hank/index.ts'
export { createScriptedHarness, type HarnessSpec, type ScriptStep } from './harness/index.ts'
export { errorsOf, formatProblem, type Problem, warningsOf } from './kit/index.ts'
export { additionsOf, createRegistry, findModel, listModels, type ModelRow } from './models/index.ts'
export { buildPlan, type Plan } from './plan/index.ts'
export { type Prepared, prepare } from './prepare.ts'
export { type FlagValue, listEnvironment, type SettingField } from './settings/index.ts'
