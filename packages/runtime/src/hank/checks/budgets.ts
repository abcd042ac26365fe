import type { Problem } from '../../kit/index.ts'
import type { CheckContext } from '../check.ts'
import type { HankFile } from '../schema.ts'
import { checkEmptyPools } from './budget-empty-pool.ts'
import { checkLimits } from './budget-limits.ts'
import { checkPolicies } from './budget-policies.ts'
import { checkPricing } from './budget-pricing.ts'
import { scopesOf } from './budget-scopes.ts'
import { checkShares } from './budget-shares.ts'

/** Everything about budgets. Shares that make no sense are errors; all else is a warning (specification 7.3). */
export function checkBudgets(hank: HankFile, context: CheckContext): readonly Problem[] {
  const scopes = scopesOf(hank, context)
  return [
    ...checkShares(scopes),
    ...checkLimits(hank, scopes),
    ...checkPolicies(hank, scopes),
    ...checkEmptyPools(hank, scopes),
    ...checkPricing(hank, context, scopes),
  ]
}
