import { describe, expect, it } from 'vitest'
import { verifies } from '../../../../../test/conformance/verifies.ts'
import { codonOf, hankOf, loopOf } from '../../../../../test/support/hank-builder.ts'
import { checkBudgets } from '../../../src/hank/checks/budgets.ts'
import type { CodonBudget, HankItem, SharedBudget } from '../../../src/hank/schema.ts'
import { places, told } from './problems.ts'

const under = (budget: SharedBudget, ...items: HankItem[]) => hankOf(items, { overrides: { budget } })
const limited = (id: string, budget: CodonBudget) => codonOf(id, { budget })

describe('shares', () => {
  const items = [codonOf('draft'), loopOf('fix', [codonOf('review'), codonOf('repair')]), codonOf('report')]

  verifies(['2.6/shares-need-proportional'], 'are an error without a proportional allocation', async () => {
    const shares = { draft: 0.5 }
    for (const budget of [
      { maxDollars: 1, shares },
      { maxDollars: 1, allocation: 'shared', shares } as const,
    ]) {
      expect(await told(checkBudgets, under(budget, ...items))).toEqual([
        'error: overrides.budget.shares: The budget of the hank has shares, but its allocation is "shared". Set allocation to "proportional" or "proportional-strict", or remove the shares.',
      ])
    }
    const loop = loopOf('l', [codonOf('a')], { budget: { maxDollars: 1, shares: { a: 1 } } })
    expect(await places(checkBudgets, hankOf([loop]))).toEqual(['error hank[0].budget.shares'])
    for (const allocation of ['proportional', 'proportional-strict'] as const) {
      expect(await told(checkBudgets, under({ maxDollars: 1, allocation, shares }, ...items))).toEqual([])
    }
  })

  it('belong to children, with a hint for those that do not', async () => {
    const budget = (shares: Record<string, number>) =>
      ({ maxDollars: 1, allocation: 'proportional', shares }) as const
    expect(
      await told(checkBudgets, under(budget({ darft: 0.2, review: 0.2, 'a b': 0.1 }), ...items)),
    ).toEqual([
      'error: overrides.budget.shares.darft: The shares of the hank name "darft", which is not one of its children. Did you mean "draft"?',
      'error: overrides.budget.shares.review: The shares of the hank name "review", which is not one of its children. It is inside Loop 2 (fix); give the loop a share.',
      'error: overrides.budget.shares["a b"]: The shares of the hank name "a b", which is not one of its children.',
    ])
    const loop = loopOf('l', [codonOf('a'), codonOf('b')], { budget: budget({ draft: 0.5 }) })
    expect(await told(checkBudgets, hankOf([codonOf('draft'), loop]))).toEqual([
      'error: hank[1].budget.shares.draft: The shares of Loop 2 (l) name "draft", which is not one of its children.',
    ])
    expect(await places(checkBudgets, under(budget({ constructor: 0.5 }), ...items))).toHaveLength(1)
  })

  it('are an error when they add up to more than 1, but not by rounding', async () => {
    const budget = (...values: number[]) => {
      const shares = Object.fromEntries(['draft', 'fix', 'report'].map((id, at) => [id, values[at] ?? 0.1]))
      return { maxDollars: 1, allocation: 'proportional', shares } as const
    }
    expect(await told(checkBudgets, under(budget(0.6, 0.5, 0.1), ...items))).toEqual([
      'error: overrides.budget.shares: The shares of the hank add up to 1.2. Lower them to 1 or less in all.',
    ])
    expect(await told(checkBudgets, under(budget(0.1, 0.2, 0.7), ...items))).toEqual([])
  })

  verifies(
    ['7.3/warn-budget-unallocated-shares'],
    'that leave money to no one, or have none to give, give a warning',
    async () => {
      const all = { draft: 0.5, fix: 0.2, report: 0.2 }
      const allocation = 'proportional-strict'
      expect(await told(checkBudgets, under({ maxDollars: 1, allocation, shares: all }, ...items))).toEqual([
        'warning: overrides.budget.shares: The shares of the hank leave 10 % of its dollars to no one, because every child has a share. Raise the shares to 1 in all.',
      ])
      expect(await told(checkBudgets, under({ maxDollars: 1, allocation }, ...items))).toEqual([
        'warning: overrides.budget.shares: The budget of the hank is "proportional-strict" but names no shares, so all draw from one pool. Add shares, or set allocation to "shared".',
      ])
      expect(await told(checkBudgets, under({ allocation, shares: all }, ...items))).toEqual([
        'warning: overrides.budget.shares: The budget of the hank has shares but there are no dollars to share, here or above. Add maxDollars.',
      ])
      const some = { draft: 0.5, fix: 0.2 }
      expect(await told(checkBudgets, under({ maxDollars: 1, allocation, shares: some }, ...items))).toEqual(
        [],
      )
      const ceilings = { maxDollars: 1 }
      expect(await told(checkBudgets, under({ allocation, shares: some }, ...items), { ceilings })).toEqual(
        [],
      )
    },
  )
})

describe('limits below other limits', () => {
  verifies(
    ['7.3/warn-budget-child-above-allocation'],
    'a limit above what the container leaves gives a warning',
    async () => {
      const half = { maxDollars: 10, allocation: 'proportional', shares: { a: 0.5 } } as const
      const rest = codonOf('b')
      expect(await told(checkBudgets, under(half, limited('a', { maxDollars: 6 }), rest))).toEqual([
        'warning: hank[0].budget.maxDollars: Codon 1 (a): its limit of $6 is above the $5 that the hank leaves for it, and the lower one counts. Lower the one or raise the other.',
      ])
      expect(await told(checkBudgets, under(half, limited('a', { maxDollars: 5 }), rest))).toEqual([])
      expect(await places(checkBudgets, under(half, codonOf('a'), limited('b', { maxDollars: 6 })))).toEqual([
        'warning hank[1].budget.maxDollars',
      ])
      const shared = under({ maxDollars: 2 }, limited('a', { maxDollars: 3 }))
      expect(await places(checkBudgets, shared)).toEqual(['warning hank[0].budget.maxDollars'])
      const flag = { ceilings: { maxDollars: 2 } }
      const wide = under({ maxDollars: 9 }, limited('a', { maxDollars: 3 }))
      expect(await places(checkBudgets, wide, flag)).toEqual(['warning hank[0].budget.maxDollars'])
      expect(await told(checkBudgets, wide)).toEqual([])
    },
  )

  it.each(['weave.json', '--max-cost'])('from %s names it', async maxDollars => {
    const given = {
      ceilings: { maxDollars: 5, maxTimeSeconds: 60, origins: { maxDollars, maxTimeSeconds: '--max-time' } },
    }
    const codon = limited('a', { maxDollars: 8 })
    const above = (where: string, who: string) =>
      `warning: ${where}.budget.maxDollars: ${who}: its limit of $8 is above the $5 that ${maxDollars} allows for the whole run, and the lower one counts. Lower the one or raise the other.`
    expect(await told(checkBudgets, hankOf([codon]), given)).toEqual([above('hank[0]', 'Codon 1 (a)')])
    expect(await told(checkBudgets, hankOf([loopOf('l', [codon])]), given)).toEqual([
      above('hank[0].codons[0]', 'Codon 1.1 (a)'),
    ])
    const shared = under({ allocation: 'proportional', shares: { a: 0.4 } }, codon, codonOf('b'))
    expect(await told(checkBudgets, shared, given)).toEqual([
      `warning: hank[0].budget.maxDollars: Codon 1 (a): its limit of $8 is above the $2 that the hank leaves for it of the $5 from ${maxDollars}, and the lower one counts. Lower the one or raise the other.`,
    ])
    const own = under({ maxDollars: 4 }, codon)
    expect(await told(checkBudgets, own, given)).toEqual([
      'warning: hank[0].budget.maxDollars: Codon 1 (a): its limit of $8 is above the $4 that the hank leaves for it, and the lower one counts. Lower the one or raise the other.',
    ])
    const exhausting = hankOf([codonOf('a', { exhaustWithPrompt: 'More.' })])
    expect(await told(checkBudgets, exhausting, given)).toEqual([
      'warning: hank[0].exhaustWithPrompt: Codon 1 (a): exhaustWithPrompt goes on until the context is full, but the time limit of 60 s of the whole run from --max-time may end it before. Remove the one or the other, or limit it with maxExtensions.',
    ])
    const failing = codonOf('b', { budget: { onExceeded: 'fail' } })
    expect(await told(checkBudgets, hankOf([codonOf('a'), failing]), given)).toEqual([
      expect.stringContaining(`Codon 1 (a) may use up the $5 that ${maxDollars} allows first`),
    ])
  })

  it('hold for loops and what is in them, with a share that acts as their budget', async () => {
    const half = { maxDollars: 10, allocation: 'proportional', shares: { l: 0.5 } } as const
    const loop = loopOf('l', [limited('a', { maxDollars: 6 })], { budget: { maxDollars: 7 } })
    expect(await told(checkBudgets, under(half, loop, codonOf('b')))).toEqual([
      'warning: hank[0].budget.maxDollars: Loop 1 (l): its limit of $7 is above the $5 that the hank leaves for it, and the lower one counts. Lower the one or raise the other.',
      'warning: hank[0].codons[0].budget.maxDollars: Codon 1.1 (a): its limit of $6 is above the $5 that Loop 1 (l) leaves for it, and the lower one counts. Lower the one or raise the other.',
    ])
    const bare = loopOf('l', [limited('a', { maxDollars: 4 })])
    expect(await told(checkBudgets, under(half, bare, codonOf('b')))).toEqual([])
  })

  verifies(['7.3/warn-budget-zero'], 'an effective budget of zero gives a warning', async () => {
    const strict = { maxDollars: 1, allocation: 'proportional-strict', shares: { a: 0.3, b: 0.7 } } as const
    const loop = loopOf('l', [limited('c', { maxDollars: 1 })])
    expect(await told(checkBudgets, under(strict, codonOf('a'), codonOf('b'), loop))).toEqual([
      'warning: hank[2]: Loop 3 (l): its effective budget is $0, because the shares of the hank leave nothing for it. Give it a share, or lower the others.',
    ])
    const returning = { ...strict, allocation: 'proportional' } as const
    expect(await told(checkBudgets, under(returning, codonOf('a'), codonOf('b'), codonOf('c')))).toEqual([])
    expect(await places(checkBudgets, under(returning, codonOf('c'), codonOf('a'), codonOf('b')))).toEqual([
      'warning hank[0]',
    ])
    const codon = hankOf([limited('a', { maxDollars: 1 })])
    expect(await told(checkBudgets, codon, { ceilings: { maxDollars: 0, maxTimeSeconds: 0 } })).toEqual([
      'warning: The dollar budget of the whole run is 0, so no codon may spend anything. Raise it.',
      'warning: The time budget of the whole run is 0, so no codon may run. Raise it.',
    ])
  })

  verifies(
    ['7.3/warn-budget-codon-time-above-loop'],
    'a time limit of a codon above that of its loop gives a warning',
    async () => {
      const loop = (own: number) =>
        hankOf([loopOf('l', [limited('a', { maxTimeSeconds: own })], { budget: { maxTimeSeconds: 60 } })])
      expect(await told(checkBudgets, loop(61))).toEqual([
        'warning: hank[0].codons[0].budget.maxTimeSeconds: Codon 1.1 (a): its time limit of 61 s for one iteration is above the 60 s that its loop has for all of them. Lower the one or raise the other.',
      ])
      expect(await told(checkBudgets, loop(60))).toEqual([])
      expect(
        await told(checkBudgets, under({ maxTimeSeconds: 1 }, limited('a', { maxTimeSeconds: 9 }))),
      ).toEqual([])
    },
  )
})

describe('budgets against other settings', () => {
  verifies(
    ['7.3/warn-budget-exhaust-under-time'],
    'exhaustWithPrompt under a time budget of any level gives a warning',
    async () => {
      const exhausting = (budget?: CodonBudget) => codonOf('a', { exhaustWithPrompt: 'Go on.', budget })
      expect(await told(checkBudgets, hankOf([exhausting({ maxTimeSeconds: 5 })]))).toEqual([
        'warning: hank[0].exhaustWithPrompt: Codon 1 (a): exhaustWithPrompt goes on until the context is full, but its time limit of 5 s may end it before. Remove the one or the other, or limit it with maxExtensions.',
      ])
      const loop = loopOf('l', [exhausting()], { budget: { maxTimeSeconds: 6 } })
      expect(await told(checkBudgets, hankOf([loop]))).toEqual([
        expect.stringContaining('of 6 s of its loop'),
      ])
      const whole = under({ maxTimeSeconds: 9 }, exhausting())
      expect(await told(checkBudgets, whole, { ceilings: { maxTimeSeconds: 7 } })).toEqual([
        expect.stringContaining('of 7 s of the whole run'),
      ])
      expect(await told(checkBudgets, under({ maxDollars: 9 }, exhausting({ maxDollars: 1 })))).toEqual([])
      expect(await told(checkBudgets, under({ maxTimeSeconds: 9 }, codonOf('a')))).toEqual([])
    },
  )

  verifies(
    ['7.3/warn-budget-fail-with-retry'],
    'onExceeded fail with onFailure retry gives a warning, also when it is inherited',
    async () => {
      const retrying = (budget?: CodonBudget) => codonOf('a', { onFailure: 'retry', budget })
      const fail = { maxDollars: 1, onExceeded: 'fail' } as const
      expect(await told(checkBudgets, hankOf([retrying(fail)]))).toEqual([
        'warning: hank[0].onFailure: Codon 1 (a): onExceeded is "fail" and onFailure is "retry", but a codon that failed by its budget is not tried again. Set onExceeded to "complete" if the run shall go on.',
      ])
      expect(await places(checkBudgets, under(fail, retrying()))).toEqual(['warning hank[0].onFailure'])
      expect(await places(checkBudgets, hankOf([loopOf('l', [retrying()], { budget: fail })]))).toEqual([
        'warning hank[0].codons[0].onFailure',
      ])
      const nearer = loopOf('l', [retrying()], { budget: { onExceeded: 'complete' } })
      expect(await told(checkBudgets, under(fail, nearer, retrying({ onExceeded: 'complete' })))).toEqual([])
      expect(await told(checkBudgets, hankOf([retrying({ maxDollars: 1 })]))).toEqual([])
      expect(await told(checkBudgets, under(fail, codonOf('a', { onFailure: 'abort' })))).toEqual([])
    },
  )

  verifies(
    ['7.3/warn-budget-missing-pricing', 'd9/unknown-price-warning'],
    'a dollar limit on a model without a price gives a warning, once per model',
    async () => {
      const priceOf = (model: string) => (model === 'sonnet' ? {} : undefined)
      const odd = (id: string) => codonOf(id, { model: 'odd' })
      const items = [
        codonOf('a'),
        odd('b'),
        loopOf('l', [odd('c'), odd('d')]),
        codonOf('e', { model: 'other' }),
      ]
      expect(await told(checkBudgets, under({ maxDollars: 1 }, ...items), { priceOf })).toEqual([
        'warning: hank[1].model: Codon 2 (b) and 2 more codons: there is no price for the model "odd", so its cost is unknown and its dollar limit cannot stop it. Add the price to the model catalogue, or limit time or tokens.',
        'warning: hank[3].model: Codon 4 (e): there is no price for the model "other", so its cost is unknown and its dollar limit cannot stop it. Add the price to the model catalogue, or limit time or tokens.',
      ])
      const place = async (...hankItems: HankItem[]) => places(checkBudgets, hankOf(hankItems), { priceOf })
      expect(await place(codonOf('a', { model: 'odd', budget: { maxDollars: 1 } }))).toEqual([
        'warning hank[0].model',
      ])
      const budget = { maxDollars: 1 }
      expect(await place(loopOf('l', [odd('a')], { budget }))).toEqual(['warning hank[0].codons[0].model'])
      expect(await place(...items)).toEqual([])
      expect(await place(codonOf('a', { model: 'odd', budget: { maxTimeSeconds: 1 } }))).toEqual([])
      const overridden = { priceOf, ceilings: budget, modelOverride: 'sonnet' }
      expect(await told(checkBudgets, hankOf(items), overridden)).toEqual([])
      const fallback = hankOf([codonOf('a', { model: undefined, budget })], { overrides: { model: 'odd' } })
      expect(await places(checkBudgets, fallback, { priceOf })).toEqual(['warning hank[0]'])
    },
  )
})

describe('a budget of nothing', () => {
  verifies(
    ['7.3/warn-budget-zero', 'd8a/limits-positive', 'd8a/shares-range'],
    'is a warning, wherever it stands',
    async () => {
      const shares = { a: 0.5, z: 0 }
      const items = [
        codonOf('a'),
        limited('z', {}),
        limited('b', { maxDollars: 0, maxOutputTokens: 0 }),
        loopOf('l', [limited('c', { maxTimeSeconds: 0 })], { budget: { maxDollars: 0 } }),
      ]
      const found = await places(
        checkBudgets,
        under({ maxDollars: 1, allocation: 'proportional', shares }, ...items),
      )
      expect(found).toEqual(
        expect.arrayContaining([
          'warning hank[1]',
          'warning hank[2].budget.maxDollars',
          'warning hank[2].budget.maxOutputTokens',
          'warning hank[3].budget.maxDollars',
          'warning hank[3].codons[0].budget.maxTimeSeconds',
        ]),
      )
      expect(found.filter(place => place.startsWith('error'))).toEqual([])
      expect(await told(checkBudgets, hankOf([limited('b', { maxDollars: 0 })]))).toEqual([
        'warning: hank[0].budget.maxDollars: Codon 1 (b): its effective budget is zero, because maxDollars is 0: nothing runs there. Raise it, or remove it.',
      ])
    },
  )
})
