import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { isProof, tally } from '../../../../test/support/proof.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { retryDelay } from '../../src/runner/decide.ts'
import { codonPlan, planOf } from './plans.ts'
import { openScenario } from './scenario.ts'

const delays = (rules: { delayMs: number; maxDelayMs: number }, attempts: number) =>
  Array.from({ length: attempts }, (_, at) => retryDelay({ maxAttempts: 10, ...rules }, at + 1))

verifies(
  ['d8/retry-delay', '2.3/retry-delay-exponential', '2.3/retry-max-delay-caps'],
  'grows from delayMs by doubling, never beyond maxDelayMs',
  () => {
    expect(delays({ delayMs: 1_000, maxDelayMs: 60_000 }, 9)).toEqual([
      1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000,
    ])
    expect(delays({ delayMs: 1_000, maxDelayMs: 500 }, 3)).toEqual([500, 500, 500])
    expect(delays({ delayMs: 0, maxDelayMs: 60_000 }, 3)).toEqual([0, 0, 0])
    expect(delays({ delayMs: 60_000, maxDelayMs: 600_000 }, 5)).toEqual([
      60_000, 120_000, 240_000, 480_000, 600_000,
    ])
  },
)

test.each<[number, number]>([
  [0, 0],
  [250, 250],
  [3_600_000, 3_600_000],
  [-5, 0],
])('a hint of %i ms is a wait of %i ms, whatever the attempt and the cap', (hint, wait) => {
  const rules = { maxAttempts: 3, delayMs: 1_000, maxDelayMs: 2_000 }
  expect([1, 2, 3].map(attempt => retryDelay(rules, attempt, hint))).toEqual([wait, wait, wait])
})

/** At least a millisecond: a wait for nothing may be over before the test sees it, and several in one go. */
const delay = (max: number) => fc.integer({ min: 1, max })
const rules = fc.record({
  maxAttempts: fc.integer({ min: 1, max: 10 }),
  delayMs: delay(60_000),
  maxDelayMs: delay(600_000),
})
/** A failed attempt and what the provider asked for, if it did. */
const failures = fc.array(fc.option(delay(600_000), { nil: undefined }), {
  maxLength: 12,
  size: 'max',
})

verifies(
  ['safety/I10'],
  'a codon is never tried more often than it may be, each time after the right delay, by the hint if there is one',
  async () => {
    const base = await tempDir({ inMemory: true })
    let number = 0
    const numRuns = isProof ? 400 : 40
    await fc.assert(
      fc.asyncProperty(rules, failures, async (retry, hints) => {
        const dir = join(base, `${number++}`)
        const plan = planOf(codonPlan('a', { onFailure: 'retry', retry }))
        const script = (_id: string, call: number) => {
          if (call >= hints.length) return undefined
          const retryAfterMs = hints[call]
          const hint = retryAfterMs === undefined ? {} : { retryAfterMs }
          return [{ fail: 'overloaded', retriable: true, ...hint }]
        }
        const run = await openScenario({ plan, script }, dir)
        const attempts = Math.min(hints.length + 1, retry.maxAttempts)
        const delays = hints
          .slice(0, attempts - 1)
          .map((hint, at) => hint ?? Math.min(retry.delayMs * 2 ** at, retry.maxDelayMs))
        for (const wait of delays) {
          await run.clock.untilSleepers(1)
          await run.clock.advance(wait)
        }
        const status = hints.length < retry.maxAttempts ? 'completed' : 'failed'
        expect((await run.runner.done).status).toBe(status)
        const starts = run.recorder.state.runs[0]?.codons.map(({ startTime }) => Date.parse(startTime)) ?? []
        expect(starts.slice(1).map((start, at) => start - (starts[at] ?? 0))).toEqual(delays)
        expect(run.specs.length).toBe(attempts)
        await run.close()
        await rm(dir, { recursive: true, force: true })
      }),
      { numRuns },
    )
    tally('schedules of retries', numRuns)
  },
  120_000,
)
