import { expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { retryDelay } from '../../src/runner/retry.ts'

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
