import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { budgetUse, costReport, observedCosts } from '../../src/budget/index.ts'
import { codon, loop, plan, stepOf, unpricedModel } from './budget-plans.ts'
import { createPast, type Past } from './past.ts'

const hank = plan([
  codon('a', { maxDollars: 2, maxTimeSeconds: 60 }),
  loop('l', 3, { codons: [codon('b', { maxContextTokens: 9 })], budget: { maxDollars: 5 } }),
  codon('c', undefined, { model: unpricedModel }),
])
const step = (id: string) => stepOf(hank, id)

describe('what earlier executions took', () => {
  function execution(cost: number, seconds: number): Past {
    const past = createPast()
    past.run()
    past.attempt(step('a'), { cost, seconds, ends: 'failed' })
    past.attempt(step('a'), { cost: cost * 2, seconds })
    past.attempt(step('b#0'), { cost: 0.5, seconds: 4, sentinels: [{ sentinelId: 's', cost: 0.25 }] })
    past.attempt(step('b#1'), { cost: 0.125, seconds: 6 })
    return past
  }

  test('is a range, over whole executions and over codons that were done', () => {
    const [small, large] = [execution(1, 10), execution(3, 20)]
    small.close()
    large.close()
    const { executions, codons } = observedCosts([small.state, large.state], hank)
    expect(executions).toEqual({
      count: 2,
      dollars: { low: 3.875, high: 9.875 },
      seconds: { low: 30, high: 50 },
    })
    expect(codons.get('a')).toEqual({
      count: 2,
      executions: 2,
      dollars: { low: 2, high: 6 },
      seconds: { low: 10, high: 20 },
    })
    expect(codons.get('b')).toEqual({
      count: 4,
      executions: 2,
      dollars: { low: 0.125, high: 0.5 },
      seconds: { low: 4, high: 6 },
    })
    expect(codons.has('c')).toBe(false)
  })

  test('leaves out executions that did not come to their end', () => {
    const past = execution(1, 10)
    expect(observedCosts([past.state], hank).executions).toEqual({ count: 0 })
    expect(observedCosts([], hank).executions).toEqual({ count: 0 })
  })

  test('leaves out a codon that was done with another model, or is no more', () => {
    const past = execution(1, 10)
    const changed = plan([codon('a', undefined, { model: unpricedModel })])
    expect([...observedCosts([past.state], changed).codons]).toEqual([])
  })

  test('does not take an unknown cost for a small one', () => {
    const past = createPast()
    past.run()
    past.attempt(step('c'), { costUnknown: true, seconds: 8 })
    past.close()
    expect(observedCosts([past.state], hank).executions).toEqual({ count: 1, seconds: { low: 8, high: 8 } })
  })
})

describe('the report of costs', () => {
  test('adds up all attempts of a codon, and names each class of tokens with its price', () => {
    const past = createPast()
    past.run()
    past.attempt(step('a'), {
      cost: 1,
      ends: 'failed',
      tokens: { inputTokens: 1_000_000, cacheReadTokens: 10 },
    })
    past.close()
    past.run()
    past.attempt(step('a'), { cost: 2, tokens: { inputTokens: 500_000, outputTokens: 100_000 } })
    const { codons, totals, costUnknown } = costReport(past.state, hank)
    expect(codons).toEqual([
      {
        codonId: 'a',
        codonName: 'a',
        model: 'known',
        provider: 'test',
        attempts: 2,
        cost: 3,
        costUnknown: false,
        classes: [
          { class: 'input', tokens: 1_500_000, price: 3, dollars: 4.5 },
          { class: 'output', tokens: 100_000, price: 15, dollars: 1.5 },
          { class: 'cacheWrite', tokens: 0, price: 3.75, dollars: 0 },
          { class: 'cacheRead', tokens: 10, price: 0.3, dollars: 0.000003 },
        ],
        prices: { source: 'a list', date: '2026-01-01', hasTiers: false },
      },
    ])
    expect(totals).toEqual({ codons: 3, sentinels: 0, all: 3 })
    expect(costUnknown).toBe(false)
  })

  verifies(['d10/money-separate'], 'lists sentinels apart and counts them in the total', () => {
    const past = createPast()
    past.run()
    past.attempt(step('a'), { cost: 1, ends: 'failed', sentinels: [{ sentinelId: 's', cost: 0.5 }] })
    past.attempt(step('a'), {
      cost: 1,
      sentinels: [
        { sentinelId: 's', cost: 0.25 },
        { sentinelId: 't', cost: 4 },
      ],
    })
    const { codons, sentinels, totals } = costReport(past.state, hank)
    expect(codons.map(({ cost }) => cost)).toEqual([2])
    expect(sentinels).toEqual([
      {
        codonId: 'a',
        sentinelId: 's',
        cost: 0.75,
        costUnknown: false,
        calls: 2,
        tokens: { input: 20, output: 2 },
      },
      {
        codonId: 'a',
        sentinelId: 't',
        cost: 4,
        costUnknown: false,
        calls: 1,
        tokens: { input: 10, output: 1 },
      },
    ])
    expect(totals).toEqual({ codons: 2, sentinels: 4.75, all: 6.75 })
  })

  test('has no price, and no dollars, where none is known', () => {
    const past = createPast()
    past.run()
    past.attempt(step('c'), { costUnknown: true, tokens: { inputTokens: 5 } })
    const { codons, costUnknown } = costReport(past.state, hank)
    expect(codons[0]).toMatchObject({
      costUnknown: true,
      classes: [{ class: 'input', tokens: 5 }, {}, {}, {}],
    })
    expect(codons[0]?.classes[0]).not.toHaveProperty('dollars')
    expect(codons[0]).not.toHaveProperty('prices')
    expect(costUnknown).toBe(true)
  })

  test('does not price a codon that is no longer what the plan says', () => {
    const past = createPast()
    past.run()
    past.attempt({ ...step('a'), codon: codon('a', undefined, { model: unpricedModel }) }, { cost: 1 })
    past.attempt({ ...step('a'), runtimeId: 'gone' }, { cost: 1 })
    expect(costReport(past.state, hank).codons.map(({ prices }) => prices)).toEqual([undefined, undefined])
  })
})

describe('the budgets of a run against their use', () => {
  test('are told for each codon, its attempts in the run together', () => {
    const past = createPast()
    past.run()
    past.attempt(step('a'), { cost: 0.5, seconds: 7, ends: 'failed' })
    past.attempt(step('a'), { cost: 1, seconds: 5 })
    const budgetExceeded = { currency: 'context-tokens', limit: 9, used: 11, scope: 'codon' } as const
    past.attempt(step('b#0'), { cost: 2, budgetExceeded })
    past.attempt(step('b#1'), { cost: 1 })
    past.attempt(step('c'), { costUnknown: true })
    const [run] = past.state.runs
    expect(run && budgetUse(hank, run)).toEqual([
      [
        { currency: 'dollars', limit: 2, used: 0.5, source: 'codon' },
        { currency: 'seconds', limit: 60, used: 7, source: 'codon' },
      ],
      [
        { currency: 'dollars', limit: 2, used: 1.5, source: 'codon' },
        { currency: 'seconds', limit: 60, used: 12, source: 'codon' },
      ],
      [
        { currency: 'dollars', limit: 5, used: 2, source: 'loop:l' },
        { currency: 'context-tokens', limit: 9, used: 11, source: 'codon' },
      ],
      [{ currency: 'dollars', limit: 5, used: 1, source: 'loop:l' }],
      [],
    ])
  })
})
