import fc from 'fast-check'
import { expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import type { HarnessEvent } from '../../src/harness/index.ts'
import { createTally } from '../../src/runner/usage.ts'

type Usage = HarnessEvent & { readonly type: 'usage' }

function usage(messageId: string, outputTokens: number, dollars?: number): Usage {
  const tokens = { inputTokens: 10, outputTokens, cacheCreationTokens: 2, cacheReadTokens: 3 }
  return { type: 'usage', messageId, tokens, ...(dollars !== undefined && { dollars }) }
}

function total(reports: readonly Usage[]) {
  const tally = createTally()
  for (const report of reports) tally.add(report)
  return tally.total()
}

test('nothing was used', () => {
  expect(total([])).toEqual({
    cost: 0,
    tokens: { inputTokens: 0, outputTokens: 0, cacheCreationTokens: 0, cacheReadTokens: 0 },
    costUnknown: false,
    messages: 0,
    byModel: {},
  })
})

verifies(['d5/token-usage-once'], 'counts each message once, by its last report', () => {
  expect(total([usage('m1', 1, 0.5), usage('m2', 4, 0.25), usage('m1', 8, 1)])).toEqual({
    cost: 1.25,
    tokens: { inputTokens: 20, outputTokens: 12, cacheCreationTokens: 4, cacheReadTokens: 6 },
    costUnknown: false,
    messages: 2,
    byModel: {},
  })
})

test('knows what each model used, a message of which is counted once and by its last model', () => {
  const by = (modelId: string, ...rest: Parameters<typeof usage>): Usage => ({ ...usage(...rest), modelId })
  const { byModel } = total([
    by('large', 'm1', 1, 0.5),
    by('small', 'm2', 4, 0.25),
    by('large', 'm1', 8, 1),
    by('large', 'm3', 2, 0.5),
    by('free', 'm4', 2),
  ])
  const cached = (messages: number) => ({
    inputTokens: 10 * messages,
    cacheCreationInputTokens: 2 * messages,
    cacheReadInputTokens: 3 * messages,
  })
  expect(byModel).toEqual({
    large: { ...cached(2), outputTokens: 10, costUSD: 1.5 },
    small: { ...cached(1), outputTokens: 4, costUSD: 0.25 },
  })
})

test('says so when a price is not known, and counts the rest', () => {
  expect(total([usage('m1', 1, 0.5), usage('m2', 1)])).toMatchObject({ cost: 0.5, costUnknown: true })
  expect(total([usage('m1', 1), usage('m1', 2, 0.5)])).toMatchObject({ cost: 0.5, costUnknown: false })
})

test('each add returns the total so far', () => {
  const tally = createTally()
  expect(tally.add(usage('m1', 1, 0.5))).toMatchObject({ cost: 0.5, messages: 1 })
  expect(tally.add(usage('m1', 1, 0.5))).toMatchObject({ cost: 0.5, messages: 1 })
  expect(tally.add(usage('m2', 1, 0.5))).toMatchObject({ cost: 1, messages: 2 })
})

test('duplicated and reordered reports change nothing', () => {
  // Of one message the output only grows, and the price with it.
  const message = fc.record({ id: fc.nat({ max: 4 }), output: fc.nat({ max: 50 }) })
  const reports = fc
    .array(message, { minLength: 1, maxLength: 12 })
    .map(all => all.map(({ id, output }) => usage(`m${id}`, output, output / 8)))
  const shuffled = reports.chain(all =>
    fc.shuffledSubarray([...all, ...all], { minLength: all.length * 2 }).map(other => ({ all, other })),
  )
  fc.assert(
    fc.property(shuffled, ({ all, other }) => {
      expect(total(other)).toEqual(total(all))
    }),
  )
})

test('is the sum of the newest report of each message', () => {
  const report = fc.record({
    id: fc.nat({ max: 5 }),
    output: fc.nat({ max: 50 }),
    dollars: fc.option(fc.double({ min: 0, max: 2, noNaN: true }), { nil: undefined }),
    isPartial: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(report, { maxLength: 40 }), reports => {
      const newest = new Map<number, (typeof reports)[number]>()
      for (const each of reports) {
        const known = newest.get(each.id)
        const isOlder = known && (each.output < known.output || (each.isPartial && !known.isPartial))
        if (!isOlder) newest.set(each.id, each)
      }
      const kept = [...newest.values()]
      const { cost, tokens, costUnknown, messages } = total(
        reports.map(({ id, output, dollars, isPartial }) => ({
          ...usage(`m${id}`, output, dollars),
          ...(isPartial && { isPartial }),
        })),
      )
      expect(cost).toBeCloseTo(
        kept.reduce((sum, { dollars = 0 }) => sum + dollars, 0),
        9,
      )
      expect(tokens).toEqual({
        inputTokens: 10 * kept.length,
        outputTokens: kept.reduce((sum, { output }) => sum + output, 0),
        cacheCreationTokens: 2 * kept.length,
        cacheReadTokens: 3 * kept.length,
      })
      expect(costUnknown).toBe(kept.some(({ dollars }) => dollars === undefined))
      expect(messages).toBe(kept.length)
    }),
  )
})
