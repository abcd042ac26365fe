import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { thinned } from '../../src/dashboard/series.ts'

type Point = Parameters<typeof thinned>[0][number]

const rows = fc.array(fc.tuple(fc.nat(1_000), fc.nat(10_000)), { maxLength: 400 }).map(steps => {
  let at = 0
  return steps.map(([step, value], index): Point => {
    at += step
    return [at, at, value, index + 1]
  })
})

describe('a series that is thinned', () => {
  verifies(['web/series'], 'keeps its order, its lowest and its highest point, and fits', () => {
    fc.assert(
      fc.property(rows, fc.integer({ min: 2, max: 60 }), (points, most) => {
        const kept = thinned(points, most)
        expect(kept.length).toBeLessThanOrEqual(most)
        expect(kept.map(([, , , seq]) => seq)).toEqual(
          kept.map(([, , , seq]) => seq).toSorted((a, b) => a - b),
        )
        const values = (list: readonly Point[]) => list.map(([, , value]) => value)
        expect(Math.max(...values(kept))).toBe(Math.max(...values(points)))
        expect(Math.min(...values(kept))).toBe(Math.min(...values(points)))
      }),
    )
  })

  it('is as it was when it fits', () => {
    const points: readonly Point[] = [
      [0, 0, 1, 1],
      [5, 5, 2, 2],
    ]
    expect(thinned(points, 2)).toBe(points)
  })
})
