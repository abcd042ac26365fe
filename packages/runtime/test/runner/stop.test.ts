import { expect, test } from 'vitest'
import { createStopper, type StopReason } from '../../src/runner/stop.ts'

const reasons: readonly StopReason[] = [
  { kind: 'skip' },
  { kind: 'force-stop', reason: 'too slow' },
  { kind: 'shutdown', reason: 'SIGTERM' },
  { kind: 'rollback' },
  { kind: 'idle', silentMs: 1, isLaunch: false },
]
const pairs = reasons.flatMap(first => reasons.map(second => [first, second] as const))

test.each(pairs)('of %j and %j the first wins', (first, second) => {
  const stopper = createStopper()
  let told = 0
  stopper.signal.addEventListener('abort', () => {
    told++
  })
  expect(stopper.reason).toBe(undefined)
  expect(stopper.signal.aborted).toBe(false)
  stopper.stop(first)
  stopper.stop(second)
  expect(stopper.reason).toBe(first)
  expect(stopper.signal.reason).toBe(first)
  expect(told).toBe(1)
})
