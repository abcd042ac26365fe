import { describe, expect, it } from 'vitest'
import { createTestClock } from '../../../../test/support/test-clock.ts'
import { isAlive, start } from '../../src/kit/index.ts'
import { createStopper } from '../../src/kit/process-stop.ts'
import { fixture, outputWatch } from './fixture.ts'

describe('a stopper', () => {
  it('asks, waits for the grace, and kills; only the first reason counts', async () => {
    const clock = createTestClock()
    const watch = outputWatch()
    const process = start(...fixture('ignores-sigterm'), { onOutput: watch.onOutput })
    await watch.until(/ready/)
    const stopper = createStopper({
      leader: process.pid,
      graceMs: 100,
      clock,
      ended: new AbortController().signal,
    })
    expect(stopper.stopped).toBeUndefined()
    stopper.stop('first')
    stopper.stop('second')
    await watch.until(/deaf/)
    expect([stopper.stopped, clock.sleepers(), isAlive(process.pid ?? 0)]).toEqual([
      { reason: 'first' },
      1,
      true,
    ])
    await clock.advance(100)
    expect(await process.done).toMatchObject({ signal: 'SIGKILL' })
  })

  it('sends nothing once the process has ended, since its id may be another one by then', async () => {
    const clock = createTestClock()
    const ended = new AbortController()
    const bystander = start('sleep', ['30'])
    const early = createStopper({ leader: undefined, graceMs: 100, clock, ended: ended.signal })
    early.stop('nobody to stop')
    ended.abort()
    const late = createStopper({ leader: bystander.pid, graceMs: 0, clock, ended: ended.signal })
    late.stop('too late')
    await clock.advance(1000)
    expect([late.stopped, isAlive(bystander.pid ?? 0)]).toEqual([undefined, true])
    bystander.kill('enough')
    await bystander.done
  })

  it('forgets the kill when the process ends within the grace', async () => {
    const clock = createTestClock()
    const ended = new AbortController()
    const process = start('sleep', ['30'])
    const stopper = createStopper({ leader: process.pid, graceMs: 100, clock, ended: ended.signal })
    stopper.stop('enough')
    expect(await process.done).toMatchObject({ signal: 'SIGTERM' })
    ended.abort()
    await clock.advance(0)
    expect(clock.sleepers()).toBe(0)
  })
})
