/**
 * Money, time and tokens: what may be spent, what was, and what follows when a limit is reached.
 *
 * Owns the meaning of a plan's budgets and the ledger, both as pure functions over the plan and the state, and the guard
 * that watches one attempt. Stops nothing, records nothing and reads no files: who asks hears of a breach and acts on it.
 * Does not know what a message costs; that is the business of the models and of the harness.
 */
export { createTimeBook, type TimeNotes } from './active-time.ts'
export {
  budgetUse,
  type ClassCost,
  type CodonCost,
  type CostReport,
  costReport,
  type SentinelCost,
} from './cost-report.ts'
export {
  type Forecast,
  type ForecastLimit,
  type ForecastRow,
  forecast,
  type Observed,
  type ObservedCodon,
  type ObservedCosts,
  observedCosts,
} from './forecast.ts'
export { type BudgetGuard, createBudgetGuard } from './guard.ts'
export { type Ledger, ledgerOf } from './ledger.ts'
export { dueAt, type Exceeded, isLoopOver, type LeftLoop, mayStart } from './may-start.ts'
export { chargeOf, mostOf, type RequestSize } from './request-price.ts'
export { createRunClock, createTokenMeter } from './run-clock.ts'
export type { WorstCase } from './worst-case.ts'
