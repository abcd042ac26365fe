/** The plan: a hank and the settings, resolved and frozen. Reads nothing, starts nothing. */
export { buildPlan, type PlanOptions, type PlanSource } from './build.ts'
export type {
  Plan,
  PlannedCodon,
  PlannedItem,
  PlannedLoop,
  PlannedModel,
  PlannedText,
  RetryRules,
} from './plan.ts'
export { after, endsIteration, endsLoop, find, type Position, type Step, start, stepAt } from './position.ts'
