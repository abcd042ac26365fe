import { describe, expect, test } from 'vitest'
import { dueAt, isLoopOver, ledgerOf, mayStart } from '../../src/budget/index.ts'
import { find, type Plan, start } from '../../src/plan/index.ts'
import { codon, loop, plan, stepOf } from './budget-plans.ts'
import { createPast, type Past } from './past.ts'

const admission = (of: Plan, past: Past, id: string) => mayStart(of, ledgerOf(past.state), stepOf(of, id))

function pastOf(of: Plan, spends: Readonly<Record<string, number>>): Past {
  const past = createPast()
  past.run()
  for (const [id, cost] of Object.entries(spends)) past.attempt(stepOf(of, id), { cost })
  return past
}

describe('a codon may start', () => {
  test('when nothing limits it, and while something is left', () => {
    const free = plan([codon('a'), codon('b')])
    expect(admission(free, pastOf(free, { a: 1e6 }), 'b')).toEqual({ kind: 'start' })
    const pool = plan([codon('a'), codon('b')], { budget: { maxDollars: 5, maxTimeSeconds: 9 } })
    expect(admission(pool, pastOf(pool, { a: 4.99 }), 'b')).toEqual({ kind: 'start' })
  })

  test('whatever the context was before', () => {
    const of = plan([codon('a', { maxContextTokens: 10 })])
    const past = createPast()
    past.run()
    past.attempt(stepOf(of, 'a'), { tokens: { inputTokens: 99 }, ends: 'failed' })
    expect(admission(of, past, 'a').kind).toBe('start')
  })
})

describe('a pool that is empty', () => {
  test('lets later codons be completed for nothing, with the reason', () => {
    const of = plan([codon('a'), codon('b'), codon('c')], { budget: { maxDollars: 5 } })
    const past = pastOf(of, { a: 5.5 })
    const expected = {
      kind: 'complete',
      exceeded: {
        breach: { currency: 'dollars', limit: 5, used: 5.5, scope: 'hank' },
        onExceeded: 'complete',
        message: 'Budget exceeded: the hank has used $5.5 of its $5.',
      },
    }
    expect(admission(of, past, 'b')).toEqual(expected)
    expect(admission(of, past, 'c')).toEqual(expected)
  })

  test('fails the run when the codon that is due says so', () => {
    const of = plan([codon('a'), codon('b', { onExceeded: 'fail' })], { budget: { maxDollars: 5 } })
    expect(admission(of, pastOf(of, { a: 5 }), 'b')).toMatchObject({
      kind: 'fail',
      exceeded: { onExceeded: 'fail' },
    })
  })

  test('may be one of time', () => {
    const of = plan([codon('a'), codon('b')], {
      ceilings: { maxTimeSeconds: { value: 60, origin: '--max-time' } },
    })
    const past = createPast()
    past.run()
    past.attempt(stepOf(of, 'a'), { seconds: 61 })
    expect(admission(of, past, 'b')).toMatchObject({
      kind: 'complete',
      exceeded: { breach: { currency: 'seconds', used: 61, limit: 60, scope: '--max-time' } },
    })
  })

  test('may have been emptied by sentinels', () => {
    const of = plan([codon('a'), codon('b')], { budget: { maxDollars: 5 } })
    const past = createPast()
    past.run()
    past.attempt(stepOf(of, 'a'), { cost: 1, sentinels: [{ sentinelId: 's', cost: 4 }] })
    expect(admission(of, past, 'b').kind).toBe('complete')
  })

  test('of nothing from the beginning lets nothing start', () => {
    const of = plan([codon('a')], { ceilings: { maxDollars: { value: 0, origin: '--max-cost' } } })
    expect(admission(of, pastOf(of, {}), 'a').kind).toBe('complete')
  })
})

describe('the own cap of a codon', () => {
  const of = plan([codon('a', { maxDollars: 1, maxOutputTokens: 50 }), codon('b')])

  test('that earlier attempts used up lets no other begin', () => {
    const past = createPast()
    past.run()
    past.attempt(stepOf(of, 'a'), { cost: 1, ends: 'failed' })
    expect(admission(of, past, 'a')).toMatchObject({
      kind: 'complete',
      exceeded: { breach: { scope: 'codon' } },
    })
    expect(admission(of, past, 'b').kind).toBe('start')
  })

  test('counts generated tokens too', () => {
    const past = createPast()
    past.run()
    past.attempt(stepOf(of, 'a'), { tokens: { outputTokens: 50 }, ends: 'failed' })
    expect(admission(of, past, 'a')).toMatchObject({ exceeded: { breach: { currency: 'output-tokens' } } })
  })

  test('that is used up does not end a loop', () => {
    const looped = plan([loop('l', 5, { codons: [codon('a', { maxDollars: 1 })] })])
    const past = createPast()
    past.run()
    past.attempt(stepOf(looped, 'a#0'), { cost: 1, ends: 'failed' })
    expect(admission(looped, past, 'a#0').kind).toBe('complete')
    expect(admission(looped, past, 'a#1').kind).toBe('start')
  })
})

describe('a loop', () => {
  const looped = (
    budget?: Plan['budget'],
    more: Partial<Pick<Plan, 'budget'>> = {},
    limit: number | null = 9,
  ) =>
    plan(
      [
        codon('a'),
        loop('l', limit, { codons: [codon('b'), codon('c')], ...(budget && { budget }) }),
        codon('d'),
      ],
      more,
    )
  const at = (of: Plan, past: Past, id: string) => dueAt(of, ledgerOf(past.state), find(of, id) ?? start)

  test('whose budget is empty ends, and the next item is due', () => {
    const of = looped({ maxDollars: 2 })
    const past = pastOf(of, { a: 9, 'b#0': 1, 'c#0': 1.5 })
    expect(admission(of, past, 'b#1').kind).toBe('leave-loop')
    expect(at(of, past, 'b#1')).toMatchObject({
      due: { at: { runtimeId: 'd' }, admission: { kind: 'start' } },
      left: [{ at: { runtimeId: 'b#1' }, exceeded: { breach: { scope: 'loop:l', limit: 2, used: 2.5 } } }],
    })
    expect(at(of, past, 'a')).toMatchObject({
      due: { at: { runtimeId: 'a' }, admission: { kind: 'start' } },
      left: [],
    })
  })

  test('whose budget is empty in the middle of an iteration ends there', () => {
    const of = looped({ maxDollars: 2 })
    expect(at(of, pastOf(of, { 'b#0': 2 }), 'c#0')).toMatchObject({ due: { at: { runtimeId: 'd' } } })
  })

  test('ends when the hank has nothing left, and what comes after it is completed for nothing', () => {
    const of = looped(undefined, { budget: { maxDollars: 5 } }, null)
    expect(at(of, pastOf(of, { a: 1, 'b#0': 4 }), 'c#0')).toMatchObject({
      due: {
        at: { runtimeId: 'd' },
        admission: { kind: 'complete', exceeded: { breach: { scope: 'hank' } } },
      },
      left: [{ exceeded: { breach: { scope: 'hank' } } }],
    })
  })

  test('ends with the plan when it is the last item', () => {
    const of = plan([loop('l', null, { codons: [codon('b')], budget: { maxDollars: 1 } })])
    expect(at(of, pastOf(of, { 'b#0': 1 }), 'b#1')).toMatchObject({
      left: [{ at: { runtimeId: 'b#1' } }],
    })
    expect(at(of, pastOf(of, { 'b#0': 1 }), 'b#1').due).toBeUndefined()
  })

  test('fails the run when a codon of it is due that says so', () => {
    const of = plan([
      loop('l', 3, { codons: [codon('b'), codon('c', { onExceeded: 'fail' })], budget: { maxDollars: 1 } }),
    ])
    const past = pastOf(of, { 'b#0': 1 })
    expect(admission(of, past, 'c#0').kind).toBe('fail')
    expect(admission(of, past, 'b#1').kind).toBe('leave-loop')
  })

  test('goes on for one codon while another has used up its share', () => {
    const shares = { b: 0.25, c: 0.75 }
    const of = looped({ maxDollars: 4, allocation: 'proportional', shares })
    const past = pastOf(of, { 'b#0': 1, 'c#0': 1 })
    expect(admission(of, past, 'b#1')).toMatchObject({
      kind: 'complete',
      exceeded: { breach: { limit: 1, used: 1 } },
    })
    expect(admission(of, past, 'c#1').kind).toBe('start')
    const overdrawn = pastOf(of, { 'b#0': 1.5, 'c#0': 1 })
    expect(admission(of, overdrawn, 'b#1')).toMatchObject({ exceeded: { breach: { limit: 1, used: 1.5 } } })
  })

  test('is over when all have used up their shares, though something of the budget is left to no one', () => {
    const shares = { b: 0.25, c: 0.25 }
    const of = looped({ maxDollars: 4, allocation: 'proportional-strict', shares }, {}, null)
    expect(admission(of, pastOf(of, { 'b#0': 1, 'c#0': 1.5 }), 'b#1')).toMatchObject({
      kind: 'leave-loop',
      exceeded: { breach: { scope: 'loop:l' } },
    })
  })

  test('is over in its last iteration when nothing that is still to come has anything left', () => {
    const shares = { b: 0.75, c: 0.25 }
    const of = looped({ maxDollars: 4, allocation: 'proportional-strict', shares }, {}, 2)
    const past = pastOf(of, { 'b#0': 1, 'c#0': 1 })
    expect(isLoopOver(of, ledgerOf(past.state), stepOf(of, 'c#0'))).toBe(false)
    expect(admission(of, past, 'c#0').kind).toBe('complete')
    expect(admission(of, past, 'c#1').kind).toBe('leave-loop')
    expect(isLoopOver(of, ledgerOf(past.state), stepOf(of, 'a'))).toBe(false)
  })
})

describe('after a rollback', () => {
  test('an empty pool stays empty', () => {
    const of = plan([codon('a'), codon('b')], { budget: { maxDollars: 5 } })
    const past = pastOf(of, { a: 2, b: 3 })
    past.close()
    past.run()
    expect(admission(of, past, 'a').kind).toBe('complete')
  })

  test('a codon has its own cap again, as a new iteration has', () => {
    const of = plan([codon('a', { maxDollars: 2 })], { budget: { maxDollars: 5 } })
    const past = pastOf(of, { a: 2 })
    past.close()
    past.run()
    expect(admission(of, past, 'a').kind).toBe('start')
  })
})
