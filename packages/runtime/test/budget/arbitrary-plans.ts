import fc from 'fast-check'
import type { Plan, PlannedCodon, PlannedItem } from '../../src/plan/index.ts'
import { codon, loop, plan } from './budget-plans.ts'

/**
 * Random plans with budgets of every kind. All amounts are sixteenths and all shares eighths, so that sums and products
 * are exact and a model can be compared to the last bit.
 */

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })

export const amount = fc.integer({ min: 1, max: 96 }).map(sixteenths => sixteenths / 16)
const seconds = fc.integer({ min: 1, max: 60 })
const onExceeded = maybe(fc.constantFrom('complete', 'complete', 'fail'))

function given<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> }
}

const codonBudget: fc.Arbitrary<PlannedCodon['budget']> = maybe(
  fc.record({ maxDollars: maybe(amount), maxTimeSeconds: maybe(seconds), onExceeded }).map(given),
)

/** Parts of eight for some of the children, together at most one. */
const cuts = fc.array(fc.nat({ max: 4 }), { minLength: 6, maxLength: 6 })

function sharesOf(ids: readonly string[], wanted: readonly number[]): Record<string, number> {
  const shares: Record<string, number> = {}
  let left = 8
  for (const [at, id] of ids.entries()) {
    const part = Math.min(left, wanted[at] ?? 0)
    left -= part
    if (part > 0) shares[id] = part / 8
  }
  return shares
}

const containerBudget = maybe(
  fc.record({
    maxDollars: maybe(amount.map(dollars => dollars * 2)),
    maxTimeSeconds: maybe(seconds.map(each => each * 2)),
    allocation: maybe(fc.constantFrom('shared', 'proportional', 'proportional-strict')),
    onExceeded,
    wanted: cuts,
  }),
)
type Wanted = typeof containerBudget extends fc.Arbitrary<infer T> ? T : never

function budgetOf(wanted: Wanted, ids: readonly string[]): Plan['budget'] {
  if (!wanted) return undefined
  const { wanted: parts, allocation, ...rest } = wanted
  if (allocation === undefined || allocation === 'shared') return given({ ...rest, allocation })
  return { ...given(rest), allocation, shares: sharesOf(ids, parts) }
}

const item = fc.record({
  limit: fc.constantFrom(undefined, undefined, undefined, 1, 2, 3, null),
  codons: fc.array(codonBudget, { minLength: 1, maxLength: 3 }),
  budget: containerBudget,
})
type Loose = typeof item extends fc.Arbitrary<infer T> ? T : never

function itemOf({ limit, codons, budget }: Loose, at: number): PlannedItem {
  if (limit === undefined) return codon(`c${at}`, codons[0])
  const inner = codons.map((each, index) => codon(`c${at}${'xyz'[index]}`, each))
  const own = budgetOf(
    budget,
    inner.map(({ id }) => id),
  )
  return loop(`l${at}`, limit, { codons: inner, ...(own && { budget: own }) })
}

export const budgetedPlans: fc.Arbitrary<Plan> = fc
  .record({
    items: fc.array(item, { minLength: 1, maxLength: 5 }),
    budget: containerBudget,
    maxDollars: maybe(amount.map(dollars => dollars * 3)),
  })
  .map(({ items, budget, maxDollars }) => {
    const planned = items.map(itemOf)
    const own = budgetOf(
      budget,
      planned.map(({ id }) => id),
    )
    return plan(planned, {
      ...(own && { budget: own }),
      ...(maxDollars !== undefined && {
        ceilings: { maxDollars: { value: maxDollars, origin: '--max-cost' } },
      }),
    })
  })
