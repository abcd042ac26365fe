import type { Plan } from '../plan/index.ts'

/** A limit of the whole run. */
export interface Ceiling {
  readonly amount: number
  /** `hank`, or the setting that is tighter than the hank: `--max-cost`, `weave.json`. */
  readonly scope: string
}

/** The tightest limit of the whole run, whoever sets it. */
export function ceilingOf(plan: Plan, field: 'maxDollars' | 'maxTimeSeconds'): Ceiling | undefined {
  const own = plan.budget?.[field]
  const given = plan.ceilings?.[field]
  if (given && (own === undefined || given.value < own)) return { amount: given.value, scope: given.origin }
  return own === undefined ? undefined : { amount: own, scope: 'hank' }
}
