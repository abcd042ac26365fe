import type { ReportBudget, ReportRun } from '@weave/protocol'
import type { Plan } from '@weave/runtime'
import type { BudgetLines } from './read-journal.ts'

interface Used {
  /** Of everything, sentinels included. */
  readonly dollars: number
  /** What the newest end of a run says of each codon's limits, by runtime id. */
  readonly lines: ReadonlyMap<string, BudgetLines>
}

/** Limits of the whole hank, then those of loops, then those of codons, each with what was used of it. Pure. */
export function budgetRows(
  plan: Plan,
  runs: readonly ReportRun[],
  { dollars, lines }: Used,
): readonly ReportBudget[] {
  const { budget = {}, ceilings = {} } = plan
  const used: Amounts = { dollars, seconds: amountsOf(runs, () => true).seconds }
  const codons = [...lines].flatMap(([name, own]) => own.map(line => ({ name, ...line })))
  return [
    ...rowsOf({ name: 'whole hank', source: 'the hank' }, budget, used),
    ...rowsOf(
      { name: 'whole hank', source: ceilings.maxDollars?.origin ?? '' },
      { maxDollars: ceilings.maxDollars?.value },
      used,
    ),
    ...rowsOf(
      { name: 'whole hank', source: ceilings.maxTimeSeconds?.origin ?? '' },
      { maxTimeSeconds: ceilings.maxTimeSeconds?.value },
      used,
    ),
    ...loopRows(plan, runs),
    ...codons.filter(({ source }) => source === 'codon'),
  ]
}

/** A loop has one limit and one sum, whatever its codons and iterations had of it. */
function loopRows({ items, budget: whole }: Plan, runs: readonly ReportRun[]): readonly ReportBudget[] {
  return items.flatMap(item => {
    if (item.kind !== 'loop') return []
    const { id, budget } = item
    const share = whole?.shares?.[id]
    const ofHank =
      share === undefined || whole?.maxDollars === undefined ? undefined : share * whole.maxDollars
    const limits = { ...budget, maxDollars: budget?.maxDollars ?? ofHank }
    const used = amountsOf(runs, attempt => attempt.loop?.id === id)
    return rowsOf({ name: `loop ${id}`, source: 'the loop' }, limits, used)
  })
}

interface Amounts {
  readonly dollars: number
  readonly seconds: number
}

function amountsOf(
  runs: readonly ReportRun[],
  counts: (attempt: ReportRun['attempts'][number]) => boolean,
): Amounts {
  const attempts = runs.flatMap(run => run.attempts).filter(counts)
  return {
    dollars: attempts.reduce((sum, { cost }) => sum + cost, 0),
    seconds: attempts.reduce((sum, { durationMs }) => sum + durationMs / 1000, 0),
  }
}

interface Limits {
  readonly maxDollars?: number | undefined
  readonly maxTimeSeconds?: number | undefined
}

function rowsOf(
  whose: Pick<ReportBudget, 'name' | 'source'>,
  { maxDollars, maxTimeSeconds }: Limits,
  { dollars, seconds }: Amounts,
): readonly ReportBudget[] {
  const row = (currency: string, limit: number | undefined, used: number): readonly ReportBudget[] =>
    limit === undefined ? [] : [{ ...whose, currency, limit, used }]
  return [...row('dollars', maxDollars, dollars), ...row('seconds', maxTimeSeconds, seconds)]
}
