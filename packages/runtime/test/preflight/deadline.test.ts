import { expect, it } from 'vitest'
import { createTestClock } from '../../../../test/support/test-clock.ts'
import { inParallel, within } from '../../src/preflight/deadline.ts'

it('work that gives up in time when its caller does is still the reason of the caller', async () => {
  const caller = new AbortController()
  const work = (signal: AbortSignal) =>
    new Promise<string>(resolve => signal.addEventListener('abort', () => resolve('gave up')))
  const limit = { clock: createTestClock(), ms: 10, signal: caller.signal }
  const running = within(limit, work, () => 'late')
  caller.abort(new Error('enough'))
  await expect(running).rejects.toThrow('enough')
})

it('what work rejects with is passed on, and the limit is over', async () => {
  const clock = createTestClock()
  const running = within(
    { clock, ms: 10 },
    () => Promise.reject(new Error('broken')),
    () => 'late',
  )
  await expect(running).rejects.toThrow('broken')
  expect(clock.sleepers()).toBe(0)
})

it('nothing in parallel is nothing', async () => {
  expect(await inParallel([], 8, () => Promise.resolve(1))).toEqual([])
})
