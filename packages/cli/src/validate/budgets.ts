import { type BudgetRow, budgetTable, type Prepared } from '@weave/runtime'
import { columns } from '../columns.ts'

/** What each part of the hank may spend and where that limit comes from; nothing when there is no limit at all. */
export function budgetLines({ loaded, settings }: Prepared): readonly string[] {
  if (!loaded.hank) return []
  const { maxDollars, maxTimeSeconds } = settings.ceilings
  const rows = budgetTable(loaded.hank, {
    maxDollars: maxDollars?.value,
    maxTimeSeconds: maxTimeSeconds?.value,
  })
  return rows.length === 0 ? [] : ['Budgets', ...columns(rows.flatMap(cells)), '']
}

function cells({ label, dollars, seconds }: BudgetRow): readonly (readonly string[])[] {
  const limits = [
    ...(dollars ? [[`$${round(dollars.amount)}`, dollars.origin]] : []),
    ...(seconds ? [[`${round(seconds.amount)} s`, seconds.origin]] : []),
  ]
  return limits.map((limit, at) => [at === 0 ? label : '', ...limit])
}

function round(amount: number): number {
  return Number(amount.toFixed(4))
}
