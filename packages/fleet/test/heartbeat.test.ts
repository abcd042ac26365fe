import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startHeartbeat } from '../src/worker/heartbeat.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('a beat that nobody heard is followed by the next one soon', async () => {
  let beats = 0
  let isAway = false
  const stop = startHeartbeat(async () => {
    beats++
    if (isAway) throw new Error('connect ECONNREFUSED')
  }, 20_000)
  await vi.advanceTimersByTimeAsync(40_000)
  expect(beats).toBe(2)
  isAway = true
  await vi.advanceTimersByTimeAsync(20_000)
  expect(beats).toBe(3)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(beats).toBe(23)
  isAway = false
  await vi.advanceTimersByTimeAsync(500)
  expect(beats).toBe(24)
  await vi.advanceTimersByTimeAsync(19_999)
  expect(beats).toBe(24)
  stop()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(beats).toBe(24)
})
