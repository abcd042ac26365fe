import { describe, expect, it } from 'vitest'
import { createTestClock } from '../../../../test/support/test-clock.ts'

describe('the test clock', () => {
  it('stands still until it is moved', async () => {
    const clock = createTestClock('2026-03-01T12:00:00Z')
    let woke = false
    const sleep = clock.sleep(100).then(() => {
      woke = true
    })
    await clock.advance(99)
    expect([woke, clock.monotonic(), clock.sleepers()]).toEqual([false, 99, 1])
    await clock.advance(1)
    expect([woke, clock.now().toISOString(), clock.sleepers()]).toEqual([true, '2026-03-01T12:00:00.100Z', 0])
    await sleep
  })

  it('fires in order of time and lets what was woken sleep again within the same advance', async () => {
    const clock = createTestClock()
    const log: string[] = []
    const loop = async (name: string, ms: number) => {
      for (let turn = 0; turn < 3; turn++) {
        await clock.sleep(ms)
        log.push(`${name}@${clock.monotonic()}`)
      }
    }
    const loops = [loop('slow', 50), loop('quick', 20)]
    await clock.advance(150)
    await Promise.all(loops)
    expect(log).toEqual(['quick@20', 'quick@40', 'slow@50', 'quick@60', 'slow@100', 'slow@150'])
  })

  it('ticks once per period until stopped', async () => {
    const clock = createTestClock()
    const at: number[] = []
    const stop = clock.every(30, () => at.push(clock.monotonic()))
    await clock.advance(100)
    stop()
    await clock.advance(100)
    expect(at).toEqual([30, 60, 90])
  })

  it('moves the wall clock alone on a jump', () => {
    const clock = createTestClock('2026-03-01T12:00:00Z')
    clock.jumpWall(-3_600_000)
    expect([clock.now().toISOString(), clock.monotonic()]).toEqual(['2026-03-01T11:00:00.000Z', 0])
  })

  it('rejects an aborted sleep with the reason and forgets it', async () => {
    const clock = createTestClock()
    const controller = new AbortController()
    const sleep = clock.sleep(10, controller.signal)
    controller.abort('over')
    await expect(sleep).rejects.toBe('over')
    await expect(clock.sleep(10, controller.signal)).rejects.toBe('over')
    expect(clock.sleepers()).toBe(0)
  })

  it('tells when someone has gone to sleep', async () => {
    const clock = createTestClock()
    const asleep = clock.untilSleepers(1)
    const sleep = Promise.resolve().then(() => clock.sleep(5))
    await asleep
    await clock.advance(5)
    await sleep
  })
})
