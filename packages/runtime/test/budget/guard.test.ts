import type { TokenCounts } from '@weave/protocol'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { createTestClock } from '../../../../test/support/test-clock.ts'
import type { AttemptUse } from '../../src/budget/guard.ts'
import { createBudgetGuard, ledgerOf } from '../../src/budget/index.ts'
import type { Plan } from '../../src/plan/index.ts'
import { codon, loop, plan, stepOf } from './budget-plans.ts'
import { createPast } from './past.ts'

const none: TokenCounts = { inputTokens: 0, outputTokens: 0, cacheCreationTokens: 0, cacheReadTokens: 0 }

function used({
  cost = 0,
  turn = {},
  tokens = turn,
}: {
  cost?: number
  tokens?: Partial<TokenCounts>
  turn?: Partial<TokenCounts>
}): AttemptUse {
  return { cost, tokens: { ...none, ...tokens }, turn: { ...none, ...turn } }
}

function guarded(of: Plan, id: string, past = createPast()) {
  const clock = createTestClock()
  const guard = createBudgetGuard({ plan: of, at: stepOf(of, id), ledger: ledgerOf(past.state), clock })
  return { clock, guard }
}

const loopOfOne = (maxDollars: number) =>
  plan([loop('l', 3, { codons: [codon('b'), codon('c')], budget: { maxDollars } })])

describe('the guard', () => {
  verifies(
    ['d9/breach-names'],
    'tells of a limit that is reached, with scope, currency, limit and use',
    () => {
      const { guard } = guarded(plan([codon('a', { maxDollars: 1 })]), 'a')
      expect(guard.usage(used({ cost: 0.99 }))).toBeUndefined()
      expect(guard.usage(used({ cost: 1.25 }))).toEqual({
        breach: { currency: 'dollars', limit: 1, used: 1.25, scope: 'codon' },
        onExceeded: 'complete',
        message: 'Budget exceeded: a has used $1.25 of its $1.',
      })
    },
  )

  test('says nothing when there is no limit', async () => {
    const { guard, clock } = guarded(plan([codon('a')]), 'a')
    await clock.advance(1e9)
    expect(guard.usage(used({ cost: 1e9, turn: { outputTokens: 1e9 } }))).toBeUndefined()
    expect(guard.tick()).toBeUndefined()
    expect(guard.sentinels(1e9)).toBeUndefined()
  })

  test('takes a limit for reached when it is met exactly, also by a sum that rounding made a little less', () => {
    const tenth = Array.from({ length: 10 }, () => 0.1).reduce((sum, each) => sum + each, 0)
    expect(tenth).toBeLessThan(1)
    const { guard } = guarded(plan([codon('a', { maxDollars: 1 })]), 'a')
    expect(guard.usage(used({ cost: tenth }))?.breach.scope).toBe('codon')
  })

  test('answers once', () => {
    const { guard } = guarded(plan([codon('a', { maxDollars: 1 })]), 'a')
    expect(guard.usage(used({ cost: 2 }))).toBeDefined()
    expect(guard.usage(used({ cost: 3 }))).toBeUndefined()
    expect(guard.tick()).toBeUndefined()
  })

  test('carries the word for what happens then', () => {
    const strict = plan([codon('a', { maxDollars: 1, onExceeded: 'fail' })])
    expect(guarded(strict, 'a').guard.usage(used({ cost: 1 }))?.onExceeded).toBe('fail')
  })
})

describe('dollars', () => {
  test('count on top of what earlier attempts spent', () => {
    const of = plan([codon('a', { maxDollars: 1 })])
    const past = createPast()
    past.run()
    past.attempt(stepOf(of, 'a'), { cost: 0.75, ends: 'failed' })
    const { guard } = guarded(of, 'a', past)
    expect(guard.usage(used({ cost: 0.125 }))).toBeUndefined()
    expect(guard.usage(used({ cost: 0.25 }))?.breach).toMatchObject({ limit: 1, used: 1 })
  })

  test('of a loop are used up by all iterations together', () => {
    const of = loopOfOne(3)
    const past = createPast()
    past.run()
    past.attempt(stepOf(of, 'b#0'), { cost: 1 })
    past.attempt(stepOf(of, 'c#0'), { cost: 1 })
    const { guard } = guarded(of, 'b#1', past)
    expect(guard.usage(used({ cost: 0.5 }))).toBeUndefined()
    expect(guard.usage(used({ cost: 1.5 }))).toMatchObject({
      breach: { scope: 'loop:l', limit: 3, used: 3.5 },
      message: 'Budget exceeded: loop l has used $3.5 of its $3.',
    })
  })

  verifies(
    ['d10/money-counts'],
    'of sentinels count at the level of the hank, earlier and present ones',
    () => {
      const of = plan(
        [loop('l', 2, { codons: [codon('b', { maxDollars: 4 })], budget: { maxDollars: 5 } })],
        {
          budget: { maxDollars: 6 },
        },
      )
      const past = createPast()
      past.run()
      past.attempt(stepOf(of, 'b#0'), { cost: 1, sentinels: [{ sentinelId: 's', cost: 2 }] })
      const { guard } = guarded(of, 'b#1', past)
      expect(guard.usage(used({ cost: 2.5 }))).toBeUndefined()
      expect(guard.sentinels(0.25)).toBeUndefined()
      expect(guard.sentinels(0.5)?.breach).toEqual({ currency: 'dollars', limit: 6, used: 6, scope: 'hank' })
      const alone = guarded(loopOfOne(1), 'b#0')
      expect(alone.guard.sentinels(99)).toBeUndefined()
    },
  )

  test('of a ceiling are told by the name of the setting', () => {
    const of = plan([codon('a')], { ceilings: { maxDollars: { value: 2, origin: '--max-cost' } } })
    expect(guarded(of, 'a').guard.usage(used({ cost: 2.5 }))).toMatchObject({
      breach: { scope: '--max-cost' },
      message: 'Budget exceeded: the run has used $2.5 of the $2 that --max-cost allows.',
    })
  })

  test('of a share are told as what the container leaves', () => {
    const shared = { allocation: 'proportional', shares: { a: 0.5, b: 0.5, l: 0.25 } } as const
    const inHank = plan([codon('a'), loop('x', 2, { codons: [codon('c')] })], {
      budget: { maxDollars: 2, allocation: 'proportional', shares: { a: 0.5 } },
    })
    expect(guarded(inHank, 'a').guard.usage(used({ cost: 1 }))?.message).toBe(
      'Budget exceeded: a has used $1 of the $1 that the hank leaves for it.',
    )
    expect(guarded(inHank, 'c#0').guard.usage(used({ cost: 2 }))?.message).toBe(
      'Budget exceeded: loop x has used $2 of the $2 that the hank leaves for it.',
    )
    const inLoop = plan([loop('l', 2, { codons: [codon('b')], budget: { maxDollars: 2, ...shared } })])
    expect(guarded(inLoop, 'b#0').guard.usage(used({ cost: 1.5 }))?.message).toBe(
      'Budget exceeded: b has used $1.5 of the $1 that loop l leaves for it.',
    )
  })
})

describe('tokens', () => {
  test('that were generated add up over messages and attempts', () => {
    const of = plan([codon('a', { maxOutputTokens: 100 })])
    const past = createPast()
    past.run()
    past.attempt(stepOf(of, 'a'), { tokens: { inputTokens: 900, outputTokens: 40 }, ends: 'failed' })
    const { guard } = guarded(of, 'a', past)
    expect(guard.usage(used({ tokens: { inputTokens: 999, outputTokens: 59 } }))).toBeUndefined()
    expect(guard.usage(used({ tokens: { outputTokens: 60 } }))).toMatchObject({
      breach: { currency: 'output-tokens', limit: 100, used: 100 },
      message: 'Budget exceeded: a has used 100 of its 100 output tokens.',
    })
  })

  test('of the context are the most that one turn had, all classes together', () => {
    const of = plan([codon('a', { maxContextTokens: 1_000 })])
    const past = createPast()
    past.run()
    past.attempt(stepOf(of, 'a'), { tokens: { inputTokens: 5_000 }, ends: 'failed' })
    const { guard } = guarded(of, 'a', past)
    const turn = { inputTokens: 100, cacheReadTokens: 300, cacheCreationTokens: 200 }
    const many = { inputTokens: 9_000, outputTokens: 9_000 }
    expect(guard.usage(used({ turn: { ...turn, outputTokens: 399 }, tokens: many }))).toBeUndefined()
    expect(guard.usage(used({ turn: { inputTokens: 1 }, tokens: many }))).toBeUndefined()
    expect(guard.usage(used({ turn: { ...turn, outputTokens: 400 } }))).toMatchObject({
      breach: { currency: 'context-tokens', limit: 1_000, used: 1_000 },
      message: 'Budget exceeded: a has used 1000 of its 1000 context tokens.',
    })
  })
})

describe('seconds', () => {
  const timed = plan(
    [loop('l', 3, { codons: [codon('b', { maxTimeSeconds: 60 })], budget: { maxTimeSeconds: 100 } })],
    { budget: { maxTimeSeconds: 110 } },
  )

  test('are seen at a tick, and at a usage report', async () => {
    for (const look of ['tick', 'usage'] as const) {
      const { guard, clock } = guarded(timed, 'b#0')
      const see = () => (look === 'tick' ? guard.tick() : guard.usage(used({})))
      await clock.advance(59_999)
      expect(see()).toBeUndefined()
      await clock.advance(1)
      expect(see()).toMatchObject({
        breach: { currency: 'seconds', limit: 60, used: 60, scope: 'codon' },
        message: 'Budget exceeded: b#0 has used 60 s of its 60 s.',
      })
    }
  })

  test('of loop and hank add up over attempts, and their name is told', async () => {
    const past = createPast()
    past.run()
    past.attempt(stepOf(timed, 'b#0'), { seconds: 55 })
    const inLoop = guarded(timed, 'b#1', past)
    await inLoop.clock.advance(45_000)
    expect(inLoop.guard.tick()?.breach).toMatchObject({ limit: 100, used: 100, scope: 'loop:l' })
    const ceilings = { maxTimeSeconds: { value: 90, origin: 'weave.json' } }
    const inRun = guarded({ ...timed, ceilings }, 'b#1', past)
    await inRun.clock.advance(35_000)
    expect(inRun.guard.tick()?.breach).toMatchObject({ limit: 90, used: 90, scope: 'weave.json' })
  })

  test('stand still while the attempt is parked, and no longer', async () => {
    const { guard, clock } = guarded(timed, 'b#0')
    await clock.advance(30_000)
    guard.parked(600_000)
    await clock.advance(600_000)
    expect(guard.tick()).toBeUndefined()
    await clock.advance(29_999)
    expect(guard.tick()).toBeUndefined()
    await clock.advance(1)
    expect(guard.tick()?.breach).toMatchObject({ used: 60, scope: 'codon' })
  })

  test('do not follow a wall clock that jumps', () => {
    const { guard, clock } = guarded(timed, 'b#0')
    clock.jumpWall(1e9)
    expect(guard.tick()).toBeUndefined()
  })
})

describe('in general', () => {
  const amount = fc.integer({ min: 1, max: 64 }).map(sixteenths => sixteenths / 16)

  test('a budget is overshot by at most the one call that was under way', () => {
    fc.assert(
      fc.property(
        amount,
        amount,
        amount,
        fc.array(amount, { maxLength: 40 }),
        (own, ofLoop, ofHank, calls) => {
          const of = plan(
            [loop('l', 2, { codons: [codon('b', { maxDollars: own })], budget: { maxDollars: ofLoop } })],
            {
              budget: { maxDollars: ofHank },
            },
          )
          const { guard } = guarded(of, 'b#0')
          const limit = Math.min(own, ofLoop, ofHank)
          let cost = 0
          for (const call of calls) {
            const before = cost
            cost += call
            const told = guard.usage(used({ cost }))
            expect(told !== undefined).toBe(cost >= limit)
            if (!told) continue
            expect(before).toBeLessThan(limit)
            expect(told.breach.used).toBe(cost)
            return
          }
          expect(cost).toBeLessThan(limit)
        },
      ),
    )
  })
})
