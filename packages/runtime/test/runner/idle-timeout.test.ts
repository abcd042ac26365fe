import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { createTestClock } from '../../../../test/support/test-clock.ts'
import { type HarnessEvent, watchIdle } from '../../src/harness/index.ts'

const text: HarnessEvent = { type: 'text', text: 'hm' }
const call = (id: string): HarnessEvent => ({ type: 'tool-call', id, name: 'Bash', input: {} })
const result = (id: string): HarnessEvent => ({
  type: 'tool-result',
  id,
  name: 'Bash',
  output: '',
  isError: false,
  durationMs: 1,
})

const second = 1_000
const minute = 60 * second

function watching(timeoutMs: number) {
  const clock = createTestClock()
  const silences: number[] = []
  const watch = watchIdle(clock, timeoutMs, ({ silentMs }) => silences.push(silentMs))
  return { clock, silences, watch }
}

/** After its first sign of life. */
function begun(timeoutMs: number) {
  const watched = watching(timeoutMs)
  watched.watch.heard({ type: 'session', sessionId: 's' })
  return watched
}

describe('the idle timeout', () => {
  verifies(
    ['d8/idle-timeout'],
    'counts the time since the last event and fires once, never early',
    async () => {
      const { clock, silences, watch } = begun(10 * second)
      await clock.advance(9_999)
      watch.heard(text)
      await clock.advance(9_999)
      expect(silences).toEqual([])
      await clock.advance(1_001)
      expect(silences.length).toBe(1)
      expect(silences[0]).toBeGreaterThanOrEqual(10 * second)
      expect(silences[0]).toBeLessThanOrEqual(11 * second)
      await clock.advance(60 * minute)
      expect(silences.length).toBe(1)
    },
  )

  verifies(
    ['d14/idle-from-first-sign', 'd14/launch-limit'],
    'counts from the first sign of life; until then an agent has a minute, whatever the timeout',
    async () => {
      for (const timeoutMs of [1, second, 3 * minute]) {
        const clock = createTestClock()
        const silences: object[] = []
        const watch = watchIdle(clock, timeoutMs, silence => silences.push(silence))
        await clock.advance(minute - 1)
        expect(silences).toEqual([])
        watch.heard(text)
        await clock.advance(timeoutMs - 1)
        expect(silences).toEqual([])
        await clock.advance(second + 1)
        expect(silences).toMatchObject([{ isLaunch: false }])
      }
      const { clock, silences } = watching(3 * minute)
      await clock.advance(minute + second)
      expect(silences.length).toBe(1)
      expect(silences[0]).toBeGreaterThanOrEqual(minute)
    },
  )

  verifies(['d14/retry-wait-not-idle'], 'does not count the time that the provider asked for', async () => {
    const { clock, silences, watch } = begun(8 * second)
    watch.heard({ type: 'waiting', delayMs: 20 * second, reason: 'limits' })
    await clock.advance(10 * second)
    // A sign of life does not end the wait.
    watch.heard({ type: 'alive' })
    await clock.advance(17_999)
    expect(silences).toEqual([])
    await clock.advance(1_001)
    expect(silences.length).toBe(1)
    const other = begun(8 * second)
    other.watch.heard({ type: 'waiting', delayMs: 20 * second, reason: 'limits' })
    other.watch.heard(text)
    await other.clock.advance(9 * second)
    expect(other.silences.length).toBe(1)
  })

  verifies(
    ['d8/idle-timeout-paused', 'd8/tool-call-limit'],
    'a tool call that is open may take 30 minutes',
    async () => {
      const { clock, silences, watch } = watching(10 * second)
      watch.heard(call('t1'))
      await clock.advance(30 * minute - 1)
      expect(silences).toEqual([])
      await clock.advance(1_001)
      expect(silences.length).toBe(1)
      expect(silences[0]).toBeGreaterThanOrEqual(30 * minute)
    },
  )

  test('counts again as soon as the last of several tools has answered', async () => {
    const { clock, silences, watch } = watching(10 * second)
    watch.heard(call('t1'))
    watch.heard(call('t2'))
    watch.heard(result('t1'))
    await clock.advance(20 * minute)
    expect(silences).toEqual([])
    watch.heard(result('t2'))
    await clock.advance(9_999)
    expect(silences).toEqual([])
    await clock.advance(1_001)
    expect(silences.length).toBe(1)
  })

  test('a timeout longer than half an hour holds for tools too', async () => {
    const { clock, silences, watch } = watching(60 * minute)
    watch.heard(call('t1'))
    await clock.advance(59 * minute)
    expect(silences).toEqual([])
    await clock.advance(2 * minute)
    expect(silences.length).toBe(1)
  })

  test('does nothing once it is closed', async () => {
    const { clock, silences, watch } = watching(10 * second)
    watch.close()
    watch.close()
    await clock.advance(60 * minute)
    expect(silences).toEqual([])
  })

  test('a wall clock that jumps changes nothing', async () => {
    const { clock, silences } = begun(10 * second)
    clock.jumpWall(24 * 60 * minute)
    await clock.advance(9_999)
    clock.jumpWall(-48 * 60 * minute)
    expect(silences).toEqual([])
    await clock.advance(1_001)
    expect(silences.length).toBe(1)
  })

  test.each([1, 40, 400])('is exact enough for a timeout of %i ms', async timeoutMs => {
    const { clock, silences } = begun(timeoutMs)
    await clock.advance(timeoutMs - 1)
    expect(silences).toEqual([])
    await clock.advance(Math.max(11, timeoutMs / 4 + 1))
    expect(silences.length).toBe(1)
  })
})
