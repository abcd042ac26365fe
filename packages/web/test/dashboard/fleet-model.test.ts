import { describe, expect } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import {
  countsOf,
  endedOf,
  limitsText,
  segmentsOf,
  silenceText,
  totalOf,
} from '../../src/dashboard/fleet-model.ts'

describe('a fleet in a page', () => {
  verifies(['page/fleet'], 'counts what is under way first, and what has ended, well or not', () => {
    const batch = { counts: { failed: 1, succeeded: 4_000, queued: 0, running: 2, cancelled: 3 } }
    expect(countsOf(batch).map(({ state }) => state)).toEqual(['running', 'succeeded', 'failed', 'cancelled'])
    expect([totalOf(batch), endedOf(batch)]).toEqual([4_006, 4_004])
    const segments = segmentsOf(batch)
    expect(segments.every(({ width }) => width > 1)).toBe(true)
    expect(segments.at(-1)).toMatchObject({ state: 'cancelled' })
    const last = segments.at(-1)
    expect((last?.from ?? 0) + (last?.width ?? 0)).toBeCloseTo(100)
    expect(segmentsOf({ counts: {} })).toEqual([])
  })

  verifies(['page/fleet'], 'says limits and silence in words', () => {
    const limits = {
      key: 'a',
      running: 20,
      rpm: 1_200,
      tpm: null,
      limitNow: null,
      blockedSeconds: 0,
      refusals: 0,
    }
    expect(limitsText(limits)).toBe('1,200 requests a minute, 20 codons at once')
    expect(limitsText({ ...limits, running: null, rpm: null })).toBe('no limits')
    expect([0.4, 119, 300, 10_800, 400_000].map(silenceText)).toEqual([
      '0 s ago',
      '119 s ago',
      '5 min ago',
      '3 h ago',
      '4 days ago',
    ])
  })
})
