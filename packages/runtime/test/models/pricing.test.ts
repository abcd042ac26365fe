import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { costOf, createRegistry, findModel, type Prices } from '../../src/models/index.ts'

const { registry } = await createRegistry()
const prices: Prices = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75, source: 'test' }
const none = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheCreationTokens: 0 }

describe('the cost of a request', () => {
  verifies(
    ['d9/four-token-classes'],
    'counts each of four token classes at the price of the catalogue',
    () => {
      const { prices: listed } = findModel('claude-sonnet-4-5', registry) ?? {}
      const many = 100_000
      expect(costOf({ ...none, inputTokens: many }, listed)).toEqual({ known: true, dollars: 0.3 })
      expect(costOf({ ...none, outputTokens: many }, listed)).toEqual({ known: true, dollars: 1.5 })
      expect(costOf({ ...none, cacheReadTokens: many }, listed)).toEqual({ known: true, dollars: 0.03 })
      expect(costOf({ ...none, cacheCreationTokens: many }, listed)).toEqual({
        known: true,
        dollars: 0.375,
      })
      const all = {
        inputTokens: 1_000,
        outputTokens: 200,
        cacheReadTokens: 50_000,
        cacheCreationTokens: 4_000,
      }
      expect(costOf(all, listed)).toEqual({ known: true, dollars: 0.036 })
    },
  )

  it('is the double next to the true value', () => {
    const cents = { ...prices, input: 0.1, output: 0.7, cacheRead: 0.083333 }
    expect(costOf({ ...none, inputTokens: 3 }, cents)).toEqual({ known: true, dollars: 0.0000003 })
    expect(costOf({ ...none, inputTokens: 1, outputTokens: 1 }, cents)).toEqual({
      known: true,
      dollars: 0.0000008,
    })
    expect(costOf({ ...none, cacheReadTokens: 3 }, cents)).toEqual({ known: true, dollars: 0.000000249999 })
    expect(costOf({ ...none, outputTokens: 600_000_000 }, prices)).toEqual({ known: true, dollars: 9_000 })
  })

  it('without tokens is nothing', () => {
    expect(costOf(none, prices)).toEqual({ known: true, dollars: 0 })
  })

  it('is not known without a price, and never zero', () => {
    expect(costOf(none, undefined)).toEqual({ known: false })
    expect(costOf({ ...none, outputTokens: 5 }, undefined)).toEqual({ known: false })
    const unpriced = findModel('openrouter/openrouter/auto', registry)
    expect(unpriced).toBeDefined()
    expect(unpriced).not.toHaveProperty('prices')
  })

  it.each([Number.NaN, Number.POSITIVE_INFINITY, -1, 0.5])('is not known for %s tokens', count => {
    expect(costOf({ ...none, inputTokens: count }, prices)).toEqual({ known: false })
    expect(costOf({ ...none, cacheReadTokens: count }, prices)).toEqual({ known: false })
  })

  it('changes for the whole request when all its input is above a threshold', () => {
    const tiered: Prices = {
      ...prices,
      tiers: [
        { above: 1_000, input: 6, output: 30, cacheRead: 0.6, cacheWrite: 7.5 },
        { above: 2_000, input: 10, output: 50, cacheRead: 1, cacheWrite: 12.5 },
      ],
    }
    const of = (inputTokens: number, cacheReadTokens = 0) =>
      costOf({ ...none, inputTokens, cacheReadTokens, outputTokens: 100 }, tiered)
    expect(of(1_000)).toEqual({ known: true, dollars: 0.0045 })
    expect(of(1_001)).toEqual({ known: true, dollars: 0.009006 })
    expect(of(1_000, 1)).toEqual({ known: true, dollars: 0.0090006 })
    expect(of(2_000)).toEqual({ known: true, dollars: 0.015 })
    expect(of(2_001)).toEqual({ known: true, dollars: 0.02501 })
  })

  it('counts the long requests of the catalogue at their own price', () => {
    const { prices: haiku } = findModel('haiku', registry) ?? {}
    expect(costOf({ ...none, inputTokens: 100_000 }, haiku)).toEqual({ known: true, dollars: 0.01 })
    expect(costOf({ ...none, inputTokens: 200_000 }, haiku)).toEqual({ known: true, dollars: 0.1 })
  })

  it('is finite, not negative, and never falls when tokens are added', () => {
    const count = fc.nat(10_000_000)
    const tokens = fc.record({
      inputTokens: count,
      outputTokens: count,
      cacheReadTokens: count,
      cacheCreationTokens: count,
    })
    const priced = registry.models.flatMap(one => (one.prices ? [one.prices] : []))
    fc.assert(
      fc.property(tokens, count, fc.constantFrom(...priced), (used, more, list) => {
        const before = dollarsOf(costOf(used, list))
        const after = dollarsOf(costOf({ ...used, outputTokens: used.outputTokens + more }, list))
        expect(Number.isFinite(before) && before >= 0).toBe(true)
        expect(after).toBeGreaterThanOrEqual(before)
      }),
    )
  })

  it('can be traced to the source of the price and its day', () => {
    expect(findModel('opus', registry)?.prices).toMatchObject({ source: 'pi-ai 1.5.0', date: '2026-11-02' })
  })
})

function dollarsOf(cost: ReturnType<typeof costOf>): number {
  return cost.known ? cost.dollars : Number.NaN
}
