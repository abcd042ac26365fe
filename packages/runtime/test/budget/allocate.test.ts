import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { ledgerOf } from '../../src/budget/index.ts'
import { dollarMeters } from '../../src/budget/meters.ts'
import type { Plan } from '../../src/plan/index.ts'
import { budgetedPlans } from './arbitrary-plans.ts'
import { codon, loop, plan, stepOf } from './budget-plans.ts'
import { createPast } from './past.ts'
import { agent, rehearse } from './rehearse.ts'

/** What is left of each container, the innermost first, after codons have spent. */
function left(of: Plan, id: string, spends: Readonly<Record<string, number>> = {}): readonly number[] {
  const past = createPast()
  past.run()
  for (const [spender, cost] of Object.entries(spends)) past.attempt(stepOf(of, spender), { cost })
  return dollarMeters(of, ledgerOf(past.state), stepOf(of, id)).map(({ limit, used }) =>
    Math.max(0, limit - used),
  )
}

const abc = [codon('a'), codon('b'), codon('c')]

describe('a container', () => {
  verifies(['d9/shared', '2.6/allocation-default'], 'lets each child draw from all that is left', () => {
    const shared = plan(abc, { budget: { maxDollars: 8 } })
    expect(left(shared, 'a')).toEqual([8])
    expect(left(shared, 'b', { a: 3 })).toEqual([5])
    expect(left(shared, 'c', { a: 3, b: 5.5 })).toEqual([0])
    expect(left({ ...shared, budget: { maxDollars: 8, allocation: 'shared' } }, 'b', { a: 3 })).toEqual([5])
  })

  const shares = { a: 0.25, b: 0.5 }

  verifies(
    ['d9/proportional-returns'],
    'that is proportional gives what a child leaves to later children and to those without a share',
    () => {
      const of = plan(abc, { budget: { maxDollars: 8, allocation: 'proportional', shares } })
      expect(left(of, 'a')).toEqual([2])
      expect(left(of, 'b', { a: 0.5 })).toEqual([5.5])
      expect(left(of, 'c', { a: 0.5, b: 1 })).toEqual([6.5])
      expect(left(of, 'c', { a: 2, b: 4 })).toEqual([2])
      expect(left(of, 'a', { a: 0.5 })).toEqual([1.5])
    },
  )

  verifies(['d9/proportional-strict'], 'that is strict gives nothing of it to anyone', () => {
    const of = plan(abc, { budget: { maxDollars: 8, allocation: 'proportional-strict', shares } })
    expect(left(of, 'b', { a: 0.5 })).toEqual([4])
    expect(left(of, 'c', { a: 0.5, b: 1 })).toEqual([2])
  })

  verifies(
    ['d9/children-without-share'],
    'lets children without a share draw from what the shares leave, with nothing split in advance',
    () => {
      const budget = { maxDollars: 8, allocation: 'proportional-strict', shares: { a: 0.25 } } as const
      const of = plan(abc, { budget })
      expect(left(of, 'b')).toEqual([6])
      expect(left(of, 'c')).toEqual([6])
      expect(left(of, 'c', { b: 4 })).toEqual([2])
      expect(left(of, 'c', { b: 6 })).toEqual([0])
    },
  )
})

describe('a loop', () => {
  const looped = (budget: Plan['budget'], limit: number | null, ofHank?: Plan['budget']) =>
    plan([codon('a'), loop('l', limit, { codons: [codon('b'), codon('c')], ...(budget && { budget }) })], {
      ...(ofHank && { budget: ofHank }),
    })

  test('divides its budget over all iterations, and gives back only when a codon comes no more', () => {
    const budget = { maxDollars: 8, allocation: 'proportional', shares: { b: 0.5 } } as const
    const of = looped(budget, 2)
    expect(left(of, 'c#0', { 'b#0': 1 })).toEqual([4])
    expect(left(of, 'b#1', { 'b#0': 1, 'c#0': 1 })).toEqual([3])
    expect(left(of, 'c#1', { 'b#0': 1, 'c#0': 1, 'b#1': 1 })).toEqual([5])
    expect(left(looped(budget, null), 'c#1', { 'b#0': 1, 'c#0': 1, 'b#1': 1 })).toEqual([3])
  })

  test('with a share acts as if that were its budget, and what it leaves goes on', () => {
    const ofHank = { maxDollars: 8, allocation: 'proportional', shares: { l: 0.5 } } as const
    const of = { ...looped(undefined, 2, ofHank) }
    expect(left(of, 'b#0')).toEqual([4])
    expect(left(of, 'c#1', { 'b#0': 1, 'c#0': 1, 'b#1': 1.5 })).toEqual([0.5])
    const divided = looped({ allocation: 'proportional-strict', shares: { b: 0.25 } }, 2, ofHank)
    expect(left(divided, 'b#0')).toEqual([1, 4])
    expect(left(divided, 'c#0', { 'b#0': 1 })).toEqual([3, 3])
  })
})

describe('a whole run', () => {
  test('may spend what an accountant with envelopes allows, to the last bit', async () => {
    await fc.assert(
      fc.asyncProperty(budgetedPlans, agent, async (of, calls) => {
        await rehearse(of, calls)
      }),
      { numRuns: Number(process.env['WEAVE_PROOF_BUDGETS'] ?? 200) },
    )
  })
})
