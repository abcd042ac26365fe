import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { OpenRehearsal, Plan, PlannedCodon } from '@weave/runtime'
import { describe, expect, it } from 'vitest'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { readyTraffic } from '../../src/run/recording.ts'

const codon = (id: string, harness: 'sdk' | 'embedded'): PlannedCodon =>
  ({ kind: 'codon', id, model: { harness } }) as PlannedCodon

const plan = {
  items: [codon('draft', 'sdk'), { kind: 'loop', codons: [codon('review', 'embedded')] }],
  sentinels: [{ config: { id: 'narrator' } }, { config: { id: 'narrator' } }],
} as unknown as Plan
const withoutSentinels = { ...plan, sentinels: [] } as Plan
const rehearsal = {} as OpenRehearsal
const replaying = (unrecorded: readonly string[]) =>
  ({ replay: { recording: { unrecorded } } }) as unknown as OpenRehearsal

describe('a recording of a run', () => {
  it('names what does not go through the proxy, and remembers which codons these are', async () => {
    const record = join(await tempDir(), 'traffic')
    expect(await readyTraffic({ record, rehearsal: undefined }, plan)).toEqual({
      ok: true,
      record,
      warnings: ['Not recorded, because it does not go through the proxy: codon review, sentinel narrator.'],
    })
    expect(JSON.parse(readFileSync(join(record, 'recording.json'), 'utf8'))).toMatchObject({
      unrecorded: ['review'],
    })
  })

  it('of a rehearsal has all codons', async () => {
    const record = join(await tempDir(), 'traffic')
    expect(await readyTraffic({ record, rehearsal }, withoutSentinels)).toEqual({
      ok: true,
      record,
      warnings: [],
    })
  })

  it('is not asked for by itself', async () => {
    expect(await readyTraffic({ record: undefined, rehearsal }, plan)).toEqual({ ok: true, warnings: [] })
  })
})

describe('a replay', () => {
  it('is refused for what was not recorded', async () => {
    const wish = { record: undefined, rehearsal: replaying(['review']) }
    expect(await readyTraffic(wish, plan)).toEqual({
      ok: false,
      message: 'The hank cannot be replayed: nothing is recorded of codon review.',
    })
    expect(await readyTraffic({ ...wish, rehearsal: replaying(['gone']) }, plan)).toEqual({
      ok: true,
      warnings: ['Left out of the replay, because nothing is recorded of it: sentinel narrator.'],
      plan: withoutSentinels,
    })
    expect(await readyTraffic({ ...wish, rehearsal: replaying(['gone']) }, withoutSentinels)).toEqual({
      ok: true,
      warnings: [],
    })
  })
})
