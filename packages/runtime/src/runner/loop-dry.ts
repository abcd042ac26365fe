import { isLoopOver, type Ledger } from '../budget/index.ts'
import { after, codonAt, type Plan, type PlannedCodonAt } from '../plan/index.ts'

/** Whether the rest of the loop after a codon may spend nothing of what there is now. */
export function isLoopDry(plan: Plan, { loop, position }: PlannedCodonAt, ledger: Ledger): boolean {
  const next = codonAt(plan, after(plan, position))
  return next?.loop !== undefined && next.loop.id === loop?.id && isLoopOver(plan, ledger, next)
}
