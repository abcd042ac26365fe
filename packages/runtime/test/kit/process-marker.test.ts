import { describe, expect, it } from 'vitest'
import { findMarked, type Marker } from '../../src/kit/index.ts'
import { waits } from './fixture.ts'
import { newMarker, startMarked } from './marked.ts'

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
