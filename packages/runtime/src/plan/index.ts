/** The plan: a hank and the settings, resolved and frozen. Reads nothing, starts nothing. */
export { buildPlan, type PlanSource } from './build.ts'
export type { Plan, PlannedCodon, PlannedText } from './plan.ts'
