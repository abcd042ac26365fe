import { describe, expect, it } from 'vitest'
import { start } from '../../src/kit/index.ts'
import { endGroup, signalGroup } from '../../src/kit/process-sweep.ts'
import { fixture, outputWatch } from './fixture.ts'

describe('signalGroup', () => {
  it.each([0, 1, -5, 1.5, Number.NaN])('signals nobody for the leader %d', leader => {
    expect(signalGroup(leader, 0)).toBe(false)
  })

  it('tells whether a member is left', async () => {
    const process = start('sleep', ['30'])
    const leader = process.pid ?? 0
    expect(signalGroup(leader, 0)).toBe(true)
    expect(signalGroup(leader, 'SIGKILL')).toBe(true)
    await process.done
    expect(signalGroup(leader, 0)).toBe(false)
  })
})

describe('endGroup', () => {
  it('kills members that do not end in time', async () => {
    const watch = outputWatch()
    const process = start(...fixture('ignores-sigterm'), { onOutput: watch.onOutput })
    await watch.until(/ready/)
    await endGroup(process.pid ?? 0, 30)
    expect(await process.done).toMatchObject({ signal: 'SIGKILL' })
  })

  it('returns at once when nobody is left', async () => {
    const process = start('true', [])
    await process.done
    const before = performance.now()
    await endGroup(process.pid ?? 0, 60_000)
    expect(performance.now() - before).toBeLessThan(10_000)
  })
})
