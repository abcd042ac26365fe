import type { Transition } from '@weave/protocol'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createSpendingPoints } from '../../src/report/read-journal.ts'

const at = (ms: number) => new Date(1_700_000_000_000 + ms).toISOString()
const runStarted = (ms: number): Transition => ({
  type: 'RunStarted',
  data: { runId: `r${ms}`, startTime: at(ms), gitBranch: 'run', startedFrom: { type: 'fresh' } },
})
const codonStarted = (ms: number): Transition => ({
  type: 'CodonStarted',
  data: { codonId: 'a', codonName: 'A', attempt: 1, startTime: at(ms), model: 'm' },
})
const spent = (count: number): Transition => ({
  type: 'CostsUpdated',
  data: {
    codonId: 'a',
    cost: count,
    tokens: { inputTokens: count, outputTokens: 0, cacheCreationTokens: 0, cacheReadTokens: 0 },
  },
})

describe('the points of the plots', () => {
  test('leave out the time between runs and add up attempts', () => {
    const points = createSpendingPoints()
    const step = (ms: number, transition: Transition, dollars: number) =>
      points.add({ timestamp: at(ms), transition, dollars })
    step(0, runStarted(0), 0)
    step(0, codonStarted(0), 0)
    step(100, spent(5), 1)
    step(1_000_000, { type: 'RunCrashed', data: { runId: 'r0', endTime: at(1_000_000) } }, 1)
    step(1_000_000, runStarted(1_000_000), 1)
    step(1_000_000, codonStarted(1_000_000), 1)
    step(1_000_040, spent(3), 1.5)
    step(1_000_050, codonStarted(1_000_050), 1.5)
    step(1_000_060, spent(2), 1.7)
    expect(points.result().map(([ms, dollars, tokens, run]) => [ms, dollars, tokens, run])).toEqual([
      [0, 0, 0, 1],
      [100, 1, 5, 1],
      [100, 1, 5, 1],
      [100, 1, 5, 2],
      [140, 1.5, 8, 2],
      [160, 1.7, 10, 2],
    ])
  })

  test('are few, never go down, and end with the whole', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 1, maxLength: 500 }), gaps => {
        const points = createSpendingPoints(20)
        points.add({ timestamp: at(0), transition: runStarted(0), dollars: 0 })
        let now = 0
        for (const [index, gap] of gaps.entries()) {
          now += gap
          points.add({ timestamp: at(now), transition: spent(index + 1), dollars: index + 1 })
        }
        const result = points.result()
        expect(result.length).toBeLessThanOrEqual(21)
        expect(result.at(-1)).toEqual([now, gaps.length, gaps.length, 1])
        for (const [index, point] of result.entries()) {
          const before = result[index - 1] ?? point
          expect(point[0] >= before[0] && point[1] >= before[1] && point[2] >= before[2]).toBe(true)
        }
      }),
    )
  })
})
