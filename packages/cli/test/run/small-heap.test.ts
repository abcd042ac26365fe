import { expect, test } from 'vitest'
import { createTestClock } from '../../../../test/support/test-clock.ts'
import { createCollect } from '../../src/run/collect-when-idle.ts'
import { keepHeapSmall } from '../../src/run/small-heap.ts'

const MB = 1 << 20

function heapByHand() {
  const seen = { flags: [] as string[], kept: [] as string[], collected: 0 }
  const now = { youngBytes: MB, oldBytes: 30 * MB, computedMs: 0 }
  const heap = {
    setFlags: (flag: string) => void seen.flags.push(flag),
    keepFlags: (flag: string) => void seen.kept.push(flag),
    sizes: () => now,
    computedMs: () => now.computedMs,
    collect() {
      seen.collected++
      now.oldBytes = 30 * MB
    },
  }
  return { seen, now, heap }
}

test('the heap of a run stays small, also after a new thread set the flags back', async () => {
  const clock = createTestClock()
  const { seen, now, heap } = heapByHand()
  const letGrow = keepHeapSmall(clock, heap)
  await clock.advance(2_000)
  const calm = expect.stringMatching(/^--heap-growing-percent=20 --(interrupt-budget=|no-opt$)/)
  expect(seen.kept).toEqual([calm])
  expect(seen.flags.splice(0)).toEqual([calm, calm])
  now.youngBytes = 8 * MB
  await clock.advance(2_000)
  const still = '--semi-space-growth-factor=1'
  expect(seen.flags.splice(0)).toEqual([calm, still, calm, still])
  letGrow()
  await clock.advance(5_000)
  expect(seen.flags).toEqual([])
})

test('garbage is collected while nothing goes on, when there is some, and not again and again', async () => {
  const clock = createTestClock()
  const { seen, now, heap } = heapByHand()
  const letGrow = keepHeapSmall(clock, heap)
  await clock.advance(9_000)
  expect(seen.collected).toBe(0)
  await clock.advance(1_000)
  expect(seen.collected).toBe(1)
  // Nothing worth it.
  now.oldBytes = 31 * MB
  await clock.advance(60_000)
  expect(seen.collected).toBe(1)
  now.oldBytes = 32 * MB
  await clock.advance(1_000)
  expect(seen.collected).toBe(2)
  // Soon again, but not at once.
  now.oldBytes = 40 * MB
  await clock.advance(9_000)
  expect(seen.collected).toBe(2)
  await clock.advance(1_000)
  expect(seen.collected).toBe(3)
  // So much that it would be noticed.
  now.oldBytes = 200 * MB
  await clock.advance(60_000)
  expect(seen.collected).toBe(3)
  letGrow()
})

test('a process that is never idle collects its garbage once a minute, unless it would be noticed', async () => {
  const clock = createTestClock()
  const { seen, now, heap } = heapByHand()
  const letGrow = keepHeapSmall(clock, heap)
  const work = async (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      now.computedMs += 60
      await clock.advance(1_000)
    }
  }
  await work(60)
  expect(seen.collected).toBe(1)
  now.oldBytes = 32 * MB
  await work(59)
  expect(seen.collected).toBe(1)
  await work(1)
  expect(seen.collected).toBe(2)
  now.oldBytes = 100 * MB
  await work(120)
  expect(seen.collected).toBe(2)
  // One idle second is enough for that.
  await clock.advance(1_000)
  expect(seen.collected).toBe(3)
  letGrow()
})

test('a collection gives back what nobody holds', async () => {
  const collect = createCollect()
  const garbage = new WeakRef(Array.from({ length: 100_000 }, (_, at) => ({ at })))
  // What a WeakRef was asked for in a turn of the event loop stays for that turn.
  await new Promise(resolve => setImmediate(resolve))
  collect()
  expect(garbage.deref()).toBeUndefined()
})
