import fc from 'fast-check'
import { expect, test } from 'vitest'
import { defaultReconnect, isFinalClose, reconnectDelay } from '../src/reconnect.ts'

test.each([1000, 1002, 1003, 1007, 1008, 1010, 4000, 4801, 4999])('close code %i is final', code => {
  expect(isFinalClose(code)).toBe(true)
})

test.each([1001, 1005, 1006, 1009, 1011, 1012, 1013, 1014, 1015, 3000])(
  'close code %i is worth another attempt',
  code => {
    expect(isFinalClose(code)).toBe(false)
  },
)

test('delays double from attempt to attempt up to the cap', () => {
  const delays = [1, 2, 3, 4, 5, 6, 7, 8, 2000].map(attempt => reconnectDelay(defaultReconnect, attempt, 0))
  expect(delays).toEqual([250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000, 10_000])
})

test('chance only shortens a delay, by at most the jitter', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 100 }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (attempt, chance) => {
        const whole = reconnectDelay(defaultReconnect, attempt, 0)
        const delay = reconnectDelay(defaultReconnect, attempt, chance)
        expect(delay).toBeLessThanOrEqual(whole)
        expect(delay).toBeGreaterThanOrEqual(Math.floor(whole / 2))
      },
    ),
  )
})
