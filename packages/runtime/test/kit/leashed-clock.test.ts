import { describe, expect, vi } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { createTestClock } from '../../../../test/support/test-clock.ts'
import { watchIdle } from '../../src/harness/idle-timeout.ts'
import { createLeashedClock } from '../../src/kit/index.ts'

const until = (monotonicMs: number) => ({ monotonicMs, bootMs: monotonicMs })

describe('the clock of what is on a leash', () => {
  verifies(
    ['leash/timers'],
    'stands while that may not act: no silence is too long, no sleep is over, nothing ticks',
    async () => {
      const base = createTestClock()
      const clock = createLeashedClock(base, until(5_000))
      const [onIdle, onTick, onWoken] = [vi.fn(), vi.fn(), vi.fn()]
      const idle = watchIdle(clock, 2_000, onIdle)
      const stop = clock.every(1_000, onTick)
      void clock.sleep(6_000).then(onWoken)
      for (let said = 0; said < 3; said++) {
        await base.advance(1_500)
        idle.heard({ type: 'alive' })
      }
      await base.advance(3_600_000)
      expect(clock.monotonic()).toBe(5_000)
      expect([onTick, onIdle, onWoken].map(each => each.mock.calls.length)).toEqual([4, 0, 0])
      clock.extend(until(base.monotonic() + 1_400))
      await base.advance(1_400)
      expect([onIdle, onWoken].map(each => each.mock.calls.length)).toEqual([0, 1])
      clock.extend(until(base.monotonic() + 60_000))
      await base.advance(1_000)
      expect(onIdle).toHaveBeenCalledTimes(1)
      stop()
      idle.close()
    },
  )

  verifies(
    ['leash/timers'],
    'never goes back, also when it hears of more time only after that is over, or of less',
    async () => {
      const base = createTestClock()
      const clock = createLeashedClock(base, until(5_000))
      await base.advance(10_000)
      expect(clock.monotonic()).toBe(5_000)
      clock.extend(until(7_000))
      expect(clock.monotonic()).toBe(5_000)
      await base.advance(1_000)
      clock.extend(until(20_000))
      await base.advance(500)
      expect(clock.monotonic()).toBe(5_500)
      clock.extend(until(11_200))
      expect(clock.monotonic()).toBe(5_500)
    },
  )
})
