/** The engine, as the command line sees it. */
export { type ExecutionOptions, execute } from './app.ts'
export { loadHank } from './hank/index.ts'
export { createScriptedHarness, type HarnessSpec, type ScriptStep } from './harness/index.ts'
export { formatProblem } from './kit/index.ts'
export { buildPlan, type Plan } from './plan/index.ts'
