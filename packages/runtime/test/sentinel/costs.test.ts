import fc from 'fast-check'
import { expect } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { event } from './observed-events.ts'
import { attachment, fails, fakeModel, haiku, scene } from './scene.ts'

const count = fc.nat({ max: 90_000 })
const answer = fc.record({
  tokens: fc.record({
    inputTokens: count,
    outputTokens: count,
    cacheReadTokens: count,
    cacheCreationTokens: count,
  }),
  isGood: fc.boolean(),
})
type Answer = typeof answer extends fc.Arbitrary<infer T> ? T : never

function priceOf({ tokens }: Answer): number {
  const { inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens } = tokens
  return (inputTokens + outputTokens * 5 + cacheReadTokens * 0.1 + cacheCreationTokens * 1.25) / 1e6
}

verifies(
  ['d10/money-separate'],
  'what sentinels cost is the price of every answer, also of those that are no good, to a billionth of a dollar',
  async () => {
    expect(haiku.prices).toMatchObject({ input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 })
    await fc.assert(
      fc.asyncProperty(fc.array(answer, { minLength: 1, maxLength: 12 }), async answers => {
        const model = fakeModel((_, index) => {
          const { tokens, isGood } = answers[index % answers.length] ?? { tokens: undefined, isGood: true }
          return isGood && tokens
            ? { ok: true, text: 'ok', tokens }
            : fails('no good', { ...(tokens && { tokens }) })
        })
        const patient = { errorHandling: { maxConsecutiveFailures: 1_000 } }
        const { load, said, states } = await scene(
          [attachment({ id: 'one', ...patient }), attachment({ id: 'two', ...patient })],
          { model, settings: { healthCheckGracePeriodMs: 0 } },
        )
        const attached = await load()
        for (let n = 0; n < 5; n++) attached.route(event('info'))
        await attached.finish({ reason: 'codon-complete' })
        const expected = model.requests.reduce(
          (sum, _, index) => sum + priceOf(answers[index % answers.length] as Answer),
          0,
        )
        const sum = (costs: readonly number[]) => costs.reduce((all, each) => all + each, 0)
        expect(sum(states().map(({ cost }) => cost))).toBeCloseTo(expected, 9)
        expect(sum(said('sentinel.unloaded').map(({ finalCost }) => finalCost))).toBeCloseTo(expected, 9)
      }),
      { numRuns: 20 },
    )
  },
)
