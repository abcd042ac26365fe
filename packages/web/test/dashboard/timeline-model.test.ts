import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { scaleOf, timelineOf } from '../../src/dashboard/timeline-model.ts'
import { attempt, beginning, run } from './attempts.ts'

describe('the timeline', () => {
  test('has a bar for each attempt before anything else is known, and segments when they are', () => {
    const runs = [run('one', [attempt('plan', { fromMs: 100 })])]
    const at = beginning + 100
    const [bare] = timelineOf({ runs, live: false }, undefined, 0)
    expect(bare?.rows[0]?.segments).toEqual([
      { from: at, to: at + 1_000, kind: 'whole', label: 'PLAN', isError: false },
    ])
    const attempts = [
      {
        runId: 'one',
        codonId: 'plan',
        attempt: 1,
        leftOut: 0,
        spans: [
          [at, at + 10, 'rig', 3],
          [at + 10, null, 'agent', 4],
          [at + 20, at + 30, 'tool', 9, 'Bash', true],
        ] as const,
      },
    ]
    const [full] = timelineOf({ runs, live: false }, { attempts, lastSeq: 9 }, 0)
    expect(full?.rows[0]?.segments.slice(1)).toMatchObject([
      { kind: 'rig', seq: 3, label: 'rig' },
      { kind: 'agent', to: at + 1_000 },
      { kind: 'tool', label: 'Bash', isError: true, seq: 9 },
    ])
  })

  test('folds the attempts of one loop, and lets only what is at work grow', () => {
    const inLoop = (iteration: number, given = {}) =>
      attempt(`draft#${iteration}`, { loop: { id: 'rounds', iteration }, ...given })
    const runs = [run('one', [attempt('plan'), inLoop(0), inLoop(1, { status: 'running' })])]
    const now = beginning + 99_000
    const groups = timelineOf({ runs, live: true }, undefined, now)
    expect(groups.map(({ loop, rows }) => [loop?.id, loop?.iterations, rows.length])).toEqual([
      [undefined, undefined, 1],
      ['rounds', 2, 2],
    ])
    expect(groups[1]?.rows.map(({ to }) => to)).toEqual([beginning + 1_000, now])
    expect(timelineOf({ runs, live: false }, undefined, now)[1]?.rows[1]?.to).toBe(beginning + 1_000)
  })
})

describe('the scale of time', () => {
  test('cuts out what is longer than a minute, and nothing else', () => {
    const hour = 3_600_000
    const scale = scaleOf([
      { from: 0, to: 10_000 },
      { from: 40_000, to: 50_000 },
      { from: hour, to: hour + 10_000 },
    ])
    expect(scale.cuts).toMatchObject([{ ms: hour - 50_000 }])
    expect(scale.placeOf(hour) - scale.placeOf(50_000)).toBeLessThan(0.02)
    expect(scale.placeOf(40_000) - scale.placeOf(10_000)).toBeGreaterThan(0.4)
  })

  test('goes from 0 to 1 without a step back, and finds the time of each place again', () => {
    const spans = fc.array(
      fc.record({ from: fc.integer({ min: 0, max: 1e7 }), long: fc.integer({ min: 1, max: 1e6 }) }),
      { minLength: 1, maxLength: 12 },
    )
    fc.assert(
      fc.property(
        spans,
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 20 }),
        (given, parts) => {
          const busy = given.map(({ from, long }) => ({ from, to: from + long }))
          const scale = scaleOf(busy)
          expect(scale.placeOf(scale.from)).toBeCloseTo(0, 6)
          expect(scale.placeOf(scale.to)).toBeCloseTo(1, 6)
          const places = [...parts].sort((a, b) => a - b).map(part => scale.placeOf(scale.timeAt(part)))
          for (const [at, place] of places.entries()) {
            expect(place).toBeCloseTo([...parts].sort((a, b) => a - b)[at] ?? 0, 5)
            expect(place).toBeGreaterThanOrEqual((places[at - 1] ?? 0) - 1e-9)
          }
        },
      ),
      { numRuns: 200 },
    )
  })
})
