import { allotment } from './budget-arithmetic.ts'
import type { Ceilings } from './check.ts'
import { type Scope, scopesOf } from './checks/budget-scopes.ts'
import { codonLabel, codonsOf, type PlacedCodon } from './codons.ts'
import type { HankFile } from './schema.ts'

/** The limits that hold for one part of a hank when a run begins, and where they come from. */
export interface BudgetRow {
  readonly label: string
  readonly dollars?: Limit
  readonly seconds?: Limit
}

export interface Limit {
  readonly amount: number
  /** In words: `its own cap`, `40 % of the hank`. */
  readonly origin: string
}

/** The whole hank, each loop and each codon that a limit reaches, in the order in which they run. */
export function budgetTable(hank: HankFile, ceilings: Ceilings = {}): readonly BudgetRow[] {
  const scopes = scopesOf(hank, { hankDir: '', environment: {}, ceilings, priceOf: () => undefined })
  const whole: BudgetRow = {
    label: 'The whole hank',
    ...limit('dollars', [[scopes.hank.pool?.total, ceilingOrigin(hank, ceilings, 'maxDollars')]]),
    ...limit('seconds', [[scopes.maxTimeSeconds, ceilingOrigin(hank, ceilings, 'maxTimeSeconds')]]),
  }
  const loops = new Map(scopes.loops.map(scope => [scope.loop, loopRow(scope, scopes.hank)]))
  const rows = codonsOf(hank).flatMap(placed => {
    const loop = placed.loop && loops.get(placed.loop)
    if (placed.loop) loops.delete(placed.loop)
    return [...(loop ? [loop] : []), codonRow(placed, scopes.of(placed))]
  })
  return [whole, ...rows].filter(row => row.dollars !== undefined || row.seconds !== undefined)
}

function loopRow({ label, budget, loop }: Scope, whole: Scope): BudgetRow {
  return {
    label,
    ...limit('dollars', [[budget?.maxDollars, 'its own budget'], fromPool(whole, loop?.id ?? '')]),
    ...limit('seconds', [[budget?.maxTimeSeconds, 'its own budget']]),
  }
}

function codonRow(placed: PlacedCodon, scope: Scope): BudgetRow {
  const { budget, id } = placed.codon
  const own = placed.loop ? 'its own cap, per iteration' : 'its own cap'
  return {
    label: codonLabel(placed),
    ...limit('dollars', [[budget?.maxDollars, own], fromPool(scope, id)]),
    ...limit('seconds', [[budget?.maxTimeSeconds, own]]),
  }
}

type Candidate = readonly [amount: number | undefined, origin: string]

function fromPool({ pool, label }: Scope, child: string): Candidate {
  if (!pool) return [undefined, '']
  const share = pool.shares.get(child)
  const origin =
    share === undefined ? `what is left of ${label}` : `${Number((share * 100).toFixed(2))} % of ${label}`
  return [allotment(pool, child), origin]
}

function limit<Key extends 'dollars' | 'seconds'>(
  key: Key,
  candidates: readonly Candidate[],
): { [K in Key]?: Limit } {
  const limits = candidates.flatMap(([amount, origin]) => (amount === undefined ? [] : [{ amount, origin }]))
  const lowest = limits.reduce<Limit | undefined>(
    (low, each) => (low && low.amount <= each.amount ? low : each),
    undefined,
  )
  return lowest ? ({ [key]: lowest } as { [K in Key]: Limit }) : {}
}

function ceilingOrigin(hank: HankFile, ceilings: Ceilings, field: 'maxDollars' | 'maxTimeSeconds'): string {
  const own = hank.overrides?.budget?.[field]
  const given = ceilings[field]
  return own !== undefined && (given === undefined || own <= given)
    ? 'its overrides'
    : (ceilings.origins?.[field] ?? 'flag or weave.json')
}
