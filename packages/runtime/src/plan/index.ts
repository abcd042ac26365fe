/**
 * The plan: a hank and the settings, resolved and frozen. Reads nothing, starts nothing. Hands on the arithmetic of the
 * budgets it carries, so that whoever counts money divides it as the checks of the hank did.
 */
export { allotment, createPool, mayStillSpend, type Pool, type PoolUse, tightest } from '../hank/index.ts'
export { buildPlan, withGates, withServers } from './build.ts'
export { type PlanDifference, planDifferences } from './differences.ts'
export type {
  Plan,
  PlannedCodon,
  PlannedGate,
  PlannedItem,
  PlannedLoop,
  PlannedModel,
  PlannedServer,
  PlannedText,
  RetryRules,
} from './plan.ts'
export {
  after,
  codonAt,
  codonNamed,
  endsIteration,
  endsLoop,
  find,
  type PlannedCodonAt,
  type Position,
  plannedCodons,
  start,
} from './position.ts'
