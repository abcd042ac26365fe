import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { forecast } from '../../src/budget/index.ts'
import type { Plan, PlannedItem } from '../../src/plan/index.ts'
import { budgetedPlans } from './arbitrary-plans.ts'
import { codon, loop, plan, unpricedModel } from './budget-plans.ts'
import { agent, rehearse } from './rehearse.ts'

const rows = (of: Plan) =>
  forecast(of).rows.map(
    ({ label, limits }) =>
      `${label}: ${limits.map(({ currency, amount, most, origin }) => `${amount} ${currency}${most === undefined ? '' : ` (at most ${most})`}, ${origin}`).join('; ')}`,
  )

describe('the table', () => {
  test('has a row for the hank, each loop and each codon, also for those without a limit', () => {
    expect(rows(plan([codon('a'), loop('l', 2, { codons: [codon('b')] })]))).toEqual([
      'The whole hank: ',
      'Codon 1 (a): ',
      'Loop 2 (l): ',
      'Codon 2.1 (b): ',
    ])
  })

  verifies(
    ['d14/proportional-table'],
    'says of each limit where it comes from and what it can become',
    () => {
      const of = plan(
        [
          codon('a', { maxDollars: 1.5, maxTimeSeconds: 100, maxOutputTokens: 10, maxContextTokens: 20 }),
          loop('l', 12, {
            codons: [codon('b', { maxDollars: 2.5 }), codon('c')],
            budget: { allocation: 'proportional', shares: { b: 0.5, c: 0.3 } },
          }),
          loop('m', 12, { codons: [codon('d')], budget: { maxDollars: 10, maxTimeSeconds: 60 } }),
          codon('e'),
        ],
        {
          budget: {
            maxDollars: 40,
            maxTimeSeconds: 900,
            allocation: 'proportional',
            shares: { l: 0.6, m: 0.2 },
          },
        },
      )
      expect(rows(of)).toEqual([
        'The whole hank: 40 dollars, its overrides; 900 seconds, its overrides',
        'Codon 1 (a): 1.5 dollars, its own cap; 100 seconds, its own cap; 10 output-tokens, its own cap; 20 context-tokens, its own cap',
        'Loop 2 (l): 24 dollars, 60 % of the hank; 900 seconds, what is left of the hank',
        'Codon 2.1 (b): 2.5 dollars, its own cap, per iteration; 900 seconds, what is left of the hank',
        'Codon 2.2 (c): 7.2 dollars (at most 19.2), 30 % of Loop 2 (l); 900 seconds, what is left of the hank',
        'Loop 3 (m): 8 dollars (at most 10), 20 % of the hank; 60 seconds, its own budget',
        'Codon 3.1 (d): 8 dollars (at most 10), what is left of Loop 3 (m); 60 seconds, what is left of Loop 3 (m)',
        'Codon 4 (e): 8 dollars (at most 40), what is left of the hank; 900 seconds, what is left of the hank',
      ])
    },
  )

  test('names the setting that is tighter than the hank', () => {
    const ceilings = {
      maxDollars: { value: 3, origin: '--max-cost' },
      maxTimeSeconds: { value: 60, origin: 'weave.json' },
    }
    const of = plan([codon('a'), loop('l', 2, { codons: [codon('b')] })], {
      budget: { maxDollars: 5 },
      ceilings,
    })
    expect(rows(of)).toEqual([
      'The whole hank: 3 dollars, --max-cost; 60 seconds, weave.json',
      'Codon 1 (a): 3 dollars, what is left of the hank; 60 seconds, what is left of the hank',
      'Loop 2 (l): 3 dollars, what is left of the hank; 60 seconds, what is left of the hank',
      'Codon 2.1 (b): 3 dollars, what is left of the hank; 60 seconds, what is left of the hank',
    ])
  })
})

describe('the worst case', () => {
  const dollars = (items: readonly PlannedItem[], budget?: Plan['budget']) =>
    forecast(plan(items, budget ? { budget } : {})).dollars
  const two = (id: string) => codon(id, { maxDollars: 2, maxTimeSeconds: 10 })

  test('is the sum of all caps, each as often as its loop repeats', () => {
    const items = [two('a'), loop('l', 5, { codons: [two('b'), two('c')] })]
    expect(forecast(plan(items))).toMatchObject({
      dollars: { kind: 'bounded', amount: 22 },
      seconds: { kind: 'bounded', amount: 110 },
    })
  })

  test('is never more than a container allows', () => {
    const looped = loop('l', 5, { codons: [two('b')], budget: { maxDollars: 7, maxTimeSeconds: 12 } })
    expect(forecast(plan([two('a'), looped]))).toMatchObject({
      dollars: { amount: 9 },
      seconds: { amount: 22 },
    })
    expect(dollars([two('a'), looped], { maxDollars: 8 })).toEqual({ kind: 'bounded', amount: 8 })
    expect(dollars([codon('a')], { maxDollars: 8 })).toEqual({ kind: 'bounded', amount: 8 })
  })

  test('is less when strict shares leave money to no one', () => {
    const items = [two('a'), codon('b'), codon('c'), codon('d')]
    const shares = { a: 0.5, b: 0.25 }
    expect(dollars(items, { maxDollars: 8, allocation: 'proportional-strict', shares })).toEqual({
      kind: 'bounded',
      amount: 6,
    })
    expect(dollars(items, { maxDollars: 8, allocation: 'proportional', shares })).toEqual({
      kind: 'bounded',
      amount: 8,
    })
  })

  test('is unbounded where a codon has no limit and nothing around it has, and says which', () => {
    expect(forecast(plan([two('a'), codon('b'), loop('l', 2, { codons: [codon('c')] })]))).toMatchObject({
      dollars: {
        kind: 'unbounded',
        reasons: ['Codon 2 (b) has no dollar limit', 'Codon 3.1 (c) has no dollar limit'],
      },
      seconds: {
        kind: 'unbounded',
        reasons: ['Codon 2 (b) has no time limit', 'Codon 3.1 (c) has no time limit'],
      },
    })
  })

  test('is unbounded in a loop until the context is full, unless that has a budget', () => {
    expect(dollars([loop('l', null, { codons: [two('a')] })])).toEqual({
      kind: 'unbounded',
      reasons: ['Loop 1 (l) repeats until the context is full'],
    })
    expect(dollars([loop('l', null, { codons: [two('a')], budget: { maxDollars: 3 } })])).toEqual({
      kind: 'bounded',
      amount: 3,
    })
  })

  test('is unbounded when a price is not known, whatever the limits', () => {
    const free = codon('a', { maxDollars: 1 }, { model: unpricedModel })
    expect(dollars([free, two('b')], { maxDollars: 5 })).toEqual({
      kind: 'unbounded',
      reasons: ['Codon 1 (a) uses mystery, whose price is not known'],
    })
  })

  test('is unbounded when sentinels spend beside the codons and the hank has no limit', () => {
    const observed = new Set(['a', 'c'])
    const items = [two('a'), loop('l', 2, { codons: [two('b'), two('c')] })]
    expect(forecast(plan(items), { observed }).dollars).toEqual({
      kind: 'unbounded',
      reasons: [
        'the sentinels of Codon 1 (a), Codon 2.2 (c) have no dollar limit but that of the whole hank',
      ],
    })
    const many = ['a', 'b', 'c', 'd', 'e']
    expect(forecast(plan(many.map(two)), { observed: new Set(many) }).dollars).toMatchObject({
      reasons: [expect.stringMatching(/^the sentinels of Codon 1 .*, Codon 3 \(c\) and 2 more have no/)],
    })
    expect(forecast(plan(items, { budget: { maxDollars: 50 } }), { observed }).dollars).toEqual({
      kind: 'bounded',
      amount: 50,
    })
  })

  test('is never passed by a run', async () => {
    await fc.assert(
      fc.asyncProperty(budgetedPlans, agent, async (of, calls) => {
        const { dollars, seconds } = forecast(of)
        const use = await rehearse(of, calls)
        if (dollars.kind === 'bounded') expect(use.dollars).toBeLessThanOrEqual(dollars.amount)
        if (seconds.kind === 'bounded') expect(use.seconds).toBeLessThanOrEqual(seconds.amount)
      }),
      { numRuns: Number(process.env['WEAVE_PROOF_BUDGETS'] ?? 100) },
    )
  })
})
