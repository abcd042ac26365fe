import type { CodonExecution, RunState } from '@weave/protocol'
import { codonAt, find, type Plan } from '../plan/index.ts'
import type { TimeNotes } from './active-time.ts'
import { noSpend, plus, type Spend, spendOf } from './ledger.ts'
import { limitsOf } from './limits.ts'
import { type Currency, tidy } from './meter.ts'

/** A codon's limit in one currency against what it used: a line of the summary of a run. */
export interface BudgetLine {
  readonly currency: Currency
  readonly limit: number
  readonly used: number
  /** The scope of the limit. */
  readonly source: string
}

/**
 * For each codon of a run, in order, its limits when the run began and what its attempts in this run, up to this one,
 * used. Context tokens are there only after a breach: nothing else remembers them.
 */
export function budgetUse(
  plan: Plan,
  run: RunState,
  notes: TimeNotes = {},
): readonly (readonly BudgetLine[])[] {
  const attempts = new Map<string, Spend>()
  return run.codons.map(record => {
    const { codonId } = record
    const spend = plus(attempts.get(codonId) ?? noSpend, spendOf(record, run, notes))
    attempts.set(codonId, spend)
    const position = find(plan, codonId)
    const step = position && codonAt(plan, position)
    if (!step) return []
    return limitsOf(plan, step).flatMap(({ currency, limit, scope }) => {
      const used = usedOf(currency, spend, record)
      return used === undefined ? [] : [{ currency, limit: tidy(limit), used: tidy(used), source: scope }]
    })
  })
}

function usedOf(currency: Currency, spend: Spend, record: CodonExecution): number | undefined {
  if (currency === 'dollars') return spend.dollars
  if (currency === 'seconds') return spend.seconds
  if (currency === 'output-tokens') return spend.tokens.outputTokens
  const breach = 'budgetExceeded' in record ? record.budgetExceeded : undefined
  return breach?.currency === currency ? breach.used : undefined
}
