import { describe, expect, it } from 'vitest'
import { createTestClock } from '../../../../test/support/test-clock.ts'
import { createId, findMarked, isAlive, killMarked, type Marker, start } from '../../src/kit/index.ts'
import { fixture, outputWatch, type Program, waits } from './fixture.ts'

const newMarker = (): Marker => `KIT_TEST_MARKER=${createId('test')}`

/** Started without `marker`, so that only the sweep can end it. */
async function startMarked(program: Program, marker: Marker) {
  const [variable = '', value = ''] = marker.split('=')
  const watch = outputWatch()
  const process = start(...program, {
    env: { [variable]: value, OTHER: 'x' },
    onOutput: watch.onOutput,
  })
  await watch.until(/ready/)
  return { ...process, pid: process.pid ?? 0 }
}

describe('findMarked', () => {
  it('finds processes by the whole of their marker only', async () => {
    const marker = newMarker()
    const process = await startMarked(waits, marker)
    expect(await findMarked(marker)).toEqual([process.pid])
    expect(await findMarked(`${marker}x`)).toEqual([])
    expect(await findMarked(marker.slice(0, -1) as Marker)).toEqual([])
    expect(await findMarked(marker.slice(1) as Marker)).toEqual([])
    process.kill('enough')
    await process.done
    expect(await findMarked(marker)).toEqual([])
  })

  it('never names this very process', async () => {
    const path = `PATH=${process.env['PATH']}` as const
    expect(await findMarked(path)).not.toContain(process.pid)
  })
})

describe('killMarked', () => {
  it('asks first', async () => {
    const marker = newMarker()
    const process = await startMarked(waits, marker)
    expect(await killMarked(marker)).toEqual({ killed: [process.pid], survivors: [] })
    expect(await process.done).toMatchObject({ signal: 'SIGTERM' })
  })

  it('kills what does not listen, once the grace is over', async () => {
    const marker = newMarker()
    const clock = createTestClock()
    const process = await startMarked(fixture('ignores-sigterm'), marker)
    const sweep = killMarked(marker, { graceMs: 30, clock })
    await clock.untilSleepers(1)
    expect(isAlive(process.pid)).toBe(true)
    await clock.advance(30)
    expect(await sweep).toEqual({ killed: [process.pid], survivors: [] })
    expect(await process.done).toMatchObject({ signal: 'SIGKILL' })
  })

  it('does not ask without a grace', async () => {
    const marker = newMarker()
    const process = await startMarked(waits, marker)
    await killMarked(marker, { graceMs: 0 })
    expect(await process.done).toMatchObject({ signal: 'SIGKILL' })
  })

  it('has nothing to do when nobody is marked', async () => {
    expect(await killMarked(newMarker())).toEqual({ killed: [], survivors: [] })
  })
})
