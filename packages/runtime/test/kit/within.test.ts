import { expect, it } from 'vitest'
import { createTestClock } from '../../../../test/support/test-clock.ts'
import { inTime, within } from '../../src/kit/index.ts'

it('gives what work gives, and the deadline is over', async () => {
  const clock = createTestClock()
  expect(
    await within(
      { clock, ms: 10 },
      () => Promise.resolve('done'),
      () => 'late',
    ),
  ).toBe('done')
  expect(clock.sleepers()).toBe(0)
})

it('is late after the time, and stops the work', async () => {
  const clock = createTestClock()
  let stopped = false
  const work = (signal: AbortSignal) =>
    new Promise<string>(() => signal.addEventListener('abort', () => (stopped = true)))
  const running = within({ clock, ms: 10 }, work, () => 'late')
  void clock.advance(10)
  expect(await running).toBe('late')
  expect(stopped).toBe(true)
})

it('is late when the caller gives up first', async () => {
  const caller = new AbortController()
  const waiting = inTime(new Promise(() => undefined), {
    clock: createTestClock(),
    ms: 10,
    signal: caller.signal,
  })
  caller.abort()
  expect(await waiting).toBe(false)
})

it('passes on what work rejects with', async () => {
  const clock = createTestClock()
  const running = within(
    { clock, ms: 10 },
    () => Promise.reject(new Error('broken')),
    () => 'late',
  )
  await expect(running).rejects.toThrow('broken')
  expect(clock.sleepers()).toBe(0)
})
