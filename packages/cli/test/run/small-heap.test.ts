import { expect, test } from 'vitest'
import { createTestClock } from '../../../../test/support/test-clock.ts'
import { keepHeapSmall } from '../../src/run/small-heap.ts'

test('the young generation is let grow to 8 MB, and what a new thread or the loader sets back is set again', async () => {
  const clock = createTestClock()
  const flags: string[] = []
  let youngBytes = 1 << 20
  const heap = { setFlags: (flag: string) => void flags.push(flag), youngBytes: () => youngBytes }
  const letGrow = keepHeapSmall(clock, heap)
  const slow = '--heap-growing-percent=20'
  await clock.advance(2_000)
  expect(flags.splice(0)).toEqual([slow, slow, slow])
  youngBytes = 8 << 20
  await clock.advance(2_000)
  const still = '--semi-space-growth-factor=1'
  expect(flags.splice(0)).toEqual([slow, still, slow, still])
  letGrow()
  await clock.advance(5_000)
  expect(flags).toEqual([])
})
