import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { createTestClock } from '../../../../test/support/test-clock.ts'
import { findMarked, isAlive, killMarked } from '../../src/kit/index.ts'
import { fixture, waits } from './fixture.ts'
import { newMarker, startMarked } from './marked.ts'

describe('killMarked', () => {
  it('asks first', async () => {
    const marker = newMarker()
    const process = await startMarked(waits, marker)
    expect(await killMarked(marker)).toEqual({ killed: [process.pid], survivors: [] })
    expect(await process.done).toMatchObject({ signal: 'SIGTERM' })
  })

  it('finds one that is just becoming another program', async () => {
    const marker = newMarker()
    // Shows no environment for a part of the time.
    const script = 'echo ready; n=$1; [ $n -gt 0 ] || exec sleep 30; exec sh -c "$0" "$0" $((n - 1))'
    for (let round = 0; round < 15; round += 1) {
      const process = await startMarked(['sh', ['-c', script, script, '40']], marker)
      expect(await killMarked(marker, { graceMs: 0 })).toEqual({ killed: [process.pid], survivors: [] })
      await process.done
    }
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

  it('ends what came from a marked process, though it carries no marker and has a session of its own', async () => {
    const marker = newMarker()
    const script = 'env -i setsid sleep 30 & echo "$! ready"; wait'
    const process = await startMarked(['sh', ['-c', script]], marker)
    const child = Number.parseInt(process.said, 10)
    const { killed, survivors } = await killMarked(marker, { graceMs: 50 })
    expect([new Set(killed), survivors]).toEqual([new Set([process.pid, child]), []])
    expect(isAlive(child)).toBe(false)
    await process.done
  })

  it('finds what was started in answer to SIGTERM', async () => {
    const marker = newMarker()
    const script = 'trap "(setsid sleep 30 &); exit" TERM; echo ready; while :; do sleep 0.01; done'
    // Not supervised: a supervisor ends the group of its own accord, and may be quicker than `setsid`.
    const [variable = '', value = ''] = marker.split('=')
    const child = spawn('sh', ['-c', script], {
      env: { [variable]: value },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    await once(child.stdout, 'data')
    const { killed, survivors } = await killMarked(marker, { graceMs: 2000 })
    expect(survivors).toEqual([])
    expect(killed.length).toBeGreaterThan(1)
    expect(await findMarked(marker)).toEqual([])
  })

  it('has nothing to do when nobody is marked', async () => {
    expect(await killMarked(newMarker())).toEqual({ killed: [], survivors: [] })
  })
})
