import { expect, test } from 'vitest'
import { createTestClock } from '../../../../test/support/test-clock.ts'
import { keepHeapSmall } from '../../src/run/small-heap.ts'

test('the heap of a run stays small, also after a new thread set the flags back', async () => {
  const clock = createTestClock()
  const flags: string[] = []
  const kept: string[] = []
  let youngBytes = 1 << 20
  const heap = {
    setFlags: (flag: string) => void flags.push(flag),
    keepFlags: (flag: string) => void kept.push(flag),
    youngBytes: () => youngBytes,
  }
  const letGrow = keepHeapSmall(clock, heap)
  await clock.advance(2_000)
  const calm = expect.stringMatching(/^--heap-growing-percent=20 --(interrupt-budget=|no-opt$)/)
  expect(kept).toEqual([calm])
  expect(flags.splice(0)).toEqual([calm, calm])
  youngBytes = 8 << 20
  await clock.advance(2_000)
  const still = '--semi-space-growth-factor=1'
  expect(flags.splice(0)).toEqual([calm, still, calm, still])
  letGrow()
  await clock.advance(5_000)
  expect(flags).toEqual([])
})
