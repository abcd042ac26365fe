import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createTurns } from '../../src/dashboard/turns.ts'
import { systemClock } from '../../src/kit/index.ts'

/** Works without an end, in stretches of two milliseconds; says how long in all. */
function reading(turns: ReturnType<typeof createTurns>, signal: AbortSignal) {
  let workedMs = 0
  const work = async (): Promise<void> => {
    for (;;) {
      const began = systemClock.monotonic()
      while (systemClock.monotonic() - began < 2);
      workedMs += systemClock.monotonic() - began
      await turns.long(signal)
    }
  }
  const ended = work().catch(() => undefined)
  return { ended, workedMs: () => workedMs }
}

test.each([1, 2, 4])('%i polite readings at once leave more than half of the time to others', async count => {
  const turns = createTurns({ isPolite: true, queuedMs: () => 0 })
  const controller = new AbortController()
  const began = systemClock.monotonic()
  const all = Array.from({ length: count }, () => reading(turns, controller.signal))
  while (systemClock.monotonic() - began < 600) await setImmediate()
  const share = all.reduce((sum, { workedMs }) => sum + workedMs(), 0) / (systemClock.monotonic() - began)
  controller.abort()
  await Promise.all(all.map(({ ended }) => ended))
  expect(share).toBeGreaterThan(0.05)
  expect(share).toBeLessThan(0.5)
})

test('a polite reading that had to wait for a core leaves it to others for a multiple of that', async () => {
  let queued = 0
  const turns = createTurns({ isPolite: true, queuedMs: () => queued })
  const began = systemClock.monotonic()
  queued += 40
  await turns.long(new AbortController().signal)
  expect(systemClock.monotonic() - began).toBeGreaterThan(300)
})

test('who is not waited for any more does not rest to the end', async () => {
  let queued = 0
  const turns = createTurns({ isPolite: true, queuedMs: () => queued })
  const controller = new AbortController()
  // Four tenths of a second of rest.
  queued += 50
  const waiting = turns.long(controller.signal)
  const began = systemClock.monotonic()
  controller.abort(new Error('gone'))
  await expect(waiting).rejects.toThrow('gone')
  expect(systemClock.monotonic() - began).toBeLessThan(300)
})
