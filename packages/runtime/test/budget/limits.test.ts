import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { limitsOf, onExceededOf } from '../../src/budget/meters.ts'
import type { Plan } from '../../src/plan/index.ts'
import { codon, loop, plan, stepOf } from './budget-plans.ts'

/** `dollars 5 hank`, one for each currency. */
const limits = (of: Plan, id: string) =>
  limitsOf(of, stepOf(of, id)).map(({ currency, limit, scope }) => `${currency} ${limit} ${scope}`)

describe('the limits of a codon', () => {
  verifies(['2.6/caps-default'], 'are none when nobody sets any', () => {
    const bare = plan([codon('a'), loop('l', 3, { codons: [codon('b')] })])
    expect(limits(bare, 'a')).toEqual([])
    expect(limits(bare, 'b#2')).toEqual([])
  })

  test('are its own four caps', () => {
    const caps = { maxDollars: 2, maxTimeSeconds: 60, maxOutputTokens: 500, maxContextTokens: 9_000 }
    const own = plan([codon('a', caps)])
    expect(limits(own, 'a')).toEqual([
      'dollars 2 codon',
      'seconds 60 codon',
      'output-tokens 500 codon',
      'context-tokens 9000 codon',
    ])
  })

  verifies(
    ['2.6/tightest-dollar-ceiling', '2.6/tightest-time-ceiling'],
    'of the whole run come from whoever is tightest, which they name; on a tie the hank',
    () => {
      const budget = { maxDollars: 5, maxTimeSeconds: 100 }
      const of = (dollars: number, seconds: number) =>
        plan([codon('a')], {
          budget,
          ceilings: {
            maxDollars: { value: dollars, origin: '--max-cost' },
            maxTimeSeconds: { value: seconds, origin: 'weave.json' },
          },
        })
      expect(limits(of(6, 101), 'a')).toEqual(['dollars 5 hank', 'seconds 100 hank'])
      expect(limits(of(5, 100), 'a')).toEqual(['dollars 5 hank', 'seconds 100 hank'])
      expect(limits(of(4, 99), 'a')).toEqual(['dollars 4 --max-cost', 'seconds 99 weave.json'])
      const { budget: _none, ...without } = of(4, 99)
      expect(limits(without, 'a')).toEqual(['dollars 4 --max-cost', 'seconds 99 weave.json'])
    },
  )

  verifies(['d9/codon-cap-lowers'], 'are lowered by its own cap and never raised', () => {
    const of = (own: number) =>
      plan([loop('l', 2, { codons: [codon('a', { maxDollars: own })], budget: { maxDollars: 3 } })], {
        budget: { maxDollars: 7 },
      })
    expect(limits(of(2), 'a#0')).toEqual(['dollars 2 codon'])
    expect(limits(of(3), 'a#0')).toEqual(['dollars 3 codon'])
    expect(limits(of(4), 'a#0')).toEqual(['dollars 3 loop:l'])
    expect(limits(of(99), 'a#0')).toEqual(['dollars 3 loop:l'])
  })

  test('take the tightest currency by currency', () => {
    const mixed = plan(
      [
        loop('l', 2, {
          codons: [codon('a', { maxTimeSeconds: 500 })],
          budget: { maxDollars: 1, maxTimeSeconds: 80 },
        }),
      ],
      { budget: { maxDollars: 9, maxTimeSeconds: 70 } },
    )
    expect(limits(mixed, 'a#1')).toEqual(['dollars 1 loop:l', 'seconds 70 hank'])
  })

  verifies(
    ['d9/proportional-limit', 'd9/loop-with-share', '2.6/allocation-divides-dollars'],
    'are its share of the container, through a loop with a share as through one with a budget',
    () => {
      const shares = { a: 0.25, l: 0.5 }
      const inner = { allocation: 'proportional', shares: { b: 0.75 } } as const
      const of = plan(
        [codon('a'), loop('l', 3, { codons: [codon('b'), codon('c')], budget: inner }), codon('d')],
        {
          budget: { maxDollars: 8, allocation: 'proportional', shares },
        },
      )
      expect(limits(of, 'a')).toEqual(['dollars 2 hank'])
      expect(limits(of, 'b#0')).toEqual(['dollars 3 loop:l'])
      expect(limits(of, 'c#0')).toEqual(['dollars 1 loop:l'])
      expect(limits(of, 'd')).toEqual(['dollars 2 hank'])
      const plain = plan([loop('l', 3, { codons: [codon('b')] })], {
        budget: { maxDollars: 8, allocation: 'proportional', shares: { l: 0.5 } },
      })
      expect(limits(plain, 'b#0')).toEqual(['dollars 4 loop:l'])
    },
  )
})

describe('what happens at a limit', () => {
  const words = [undefined, 'complete', 'fail'] as const
  const of = (
    own: (typeof words)[number],
    ofLoop: (typeof words)[number],
    ofHank: (typeof words)[number],
  ) => {
    const word = (onExceeded: (typeof words)[number]) => (onExceeded ? { budget: { onExceeded } } : {})
    const inner = codon('a', word(own).budget)
    return plan([loop('l', 2, { codons: [inner], ...word(ofLoop) })], word(ofHank))
  }

  verifies(
    [
      'd9/on-exceeded-nearest',
      'd9/on-exceeded-default',
      '2.6/on-exceeded-default',
      '2.6/on-exceeded-inherited',
      '2.6/on-exceeded-codon-wins',
    ],
    'is the word of the codon, else of its loop, else of the hank, else complete',
    () => {
      for (const own of words)
        for (const ofLoop of words)
          for (const ofHank of words) {
            const given = of(own, ofLoop, ofHank)
            const nearest = [own, ofLoop, ofHank, 'complete'].find(word => word !== undefined)
            expect(onExceededOf(given, stepOf(given, 'a#0'))).toBe(nearest)
          }
    },
  )

  test('is not the word of a loop for a codon outside of it', () => {
    const other = plan([loop('l', 2, { codons: [codon('a')], budget: { onExceeded: 'fail' } }), codon('b')])
    expect(onExceededOf(other, stepOf(other, 'b'))).toBe('complete')
  })
})
