import { describe, expect, it, vi } from 'vitest'
import { systemClock } from '../../src/kit/index.ts'

describe('systemClock', () => {
  it('never wakes a sleeper early', async () => {
    for (const ms of [0, 1, 2.5, 7, 15]) {
      const before = systemClock.monotonic()
      await systemClock.sleep(ms)
      expect(systemClock.monotonic() - before).toBeGreaterThanOrEqual(ms)
    }
  })

  it.each([Number.NaN, -1, Number.NEGATIVE_INFINITY])('takes a length of %s for no time at all', async ms => {
    await systemClock.sleep(ms)
  })

  it('rejects with the reason when a sleep is aborted, also one that was aborted before', async () => {
    const controller = new AbortController()
    const sleep = systemClock.sleep(60_000, controller.signal)
    controller.abort('enough')
    await expect(sleep).rejects.toBe('enough')
    await expect(systemClock.sleep(60_000, controller.signal)).rejects.toBe('enough')
  })

  it.each([2 ** 31, 2 ** 40, Number.POSITIVE_INFINITY])('sleeps on when asked for %d ms', async ms => {
    const controller = new AbortController()
    const long = systemClock.sleep(ms, controller.signal).then(() => 'woke')
    const first = await Promise.race([long, systemClock.sleep(20).then(() => 'still asleep')])
    expect(first).toBe('still asleep')
    controller.abort('done')
    await expect(long).rejects.toBe('done')
  })

  it('ticks until stopped, also from inside the tick', async () => {
    let ticks = 0
    const stop = systemClock.every(1, () => {
      ticks++
      if (ticks === 3) stop()
    })
    await vi.waitFor(() => expect(ticks).toBe(3))
    await systemClock.sleep(10)
    expect(ticks).toBe(3)
    stop()
  })

  it('does not tick early for a period longer than a timer can hold', async () => {
    let ticks = 0
    const stop = systemClock.every(2 ** 32, () => ticks++)
    await systemClock.sleep(10)
    stop()
    expect(ticks).toBe(0)
  })

  it('tells the wall time', () => {
    expect(Math.abs(systemClock.now().getTime() - Date.now())).toBeLessThan(1000)
  })
})
