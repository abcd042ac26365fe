import { describe, expect, test } from 'vitest'
import { planOf } from '../../src/dashboard/plan-model.ts'
import { attempt, beginning, run } from './attempts.ts'

const codon = (id: string) => ({
  kind: 'codon' as const,
  id,
  name: id,
  model: 'opus',
  limits: [],
  environment: [],
  sentinels: [],
})
const unbounded = { kind: 'unbounded', reasons: [] } as const
const outline = {
  hankName: 'guide',
  items: [
    codon('plan'),
    { kind: 'loop' as const, id: 'rounds', name: 'Rounds', limit: 3, codons: [codon('draft')], limits: [] },
    codon('end'),
  ],
  limits: [],
  worst: { dollars: unbounded, seconds: unbounded },
}

describe('the plan with what became of it', () => {
  test('sums up all attempts of a codon and shows the newest; what was taken back does not count', () => {
    const runs = [
      run('one', [
        attempt('plan', { isUndone: true, cost: 9 }),
        attempt('plan', { status: 'failed', reason: 'no' }),
      ]),
      run('two', [attempt('plan', { attempt: 2, fromMs: 5_000 })]),
    ]
    const [plan, , end] = planOf({ outline, runs, live: false })
    expect(plan).toMatchObject({
      status: 'completed',
      attempts: 2,
      cost: 1,
      durationMs: 2_000,
      model: 'sonnet',
    })
    expect(plan).not.toHaveProperty('since')
    expect(end).toMatchObject({ status: 'pending', attempts: 0, cost: 0, model: 'opus' })
  })

  test('shows the newest iteration of a loop', () => {
    const inLoop = (iteration: number) => attempt(`draft#${iteration}`, { loop: { id: 'rounds', iteration } })
    const [, loop] = planOf({ outline, runs: [run('one', [inLoop(0), inLoop(1)])], live: false })
    expect(loop).toMatchObject({ isBegun: true, iteration: 1, cost: 1 })
    expect(loop?.kind === 'loop' && loop.codons.map(({ id, status }) => [id, status])).toEqual([
      ['draft#1', 'completed'],
    ])
  })

  test('says since when a codon is at work, only in a run that goes on', () => {
    const runs = [run('one', [attempt('plan', { status: 'running', fromMs: 700 })])]
    expect(planOf({ outline, runs, live: true })[0]).toMatchObject({
      status: 'running',
      since: beginning + 700,
      durationMs: 0,
    })
    expect(planOf({ outline, runs, live: false })[0]).not.toHaveProperty('since')
  })

  test('without a plan it is what ran', () => {
    const lines = planOf({ runs: [run('one', [attempt('b'), attempt('a')])], live: false })
    expect(lines.map(({ id }) => id)).toEqual(['b', 'a'])
  })
})
