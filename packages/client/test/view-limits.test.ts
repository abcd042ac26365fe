import type { ServerEvent } from '@weave/protocol'
import { describe, expect, test } from 'vitest'
import { reduceView } from '../src/view.ts'
import { limitsOfPlan, limitUses } from '../src/view-limits.ts'
import { emptyView, viewCaps } from '../src/view-model.ts'
import { timeAt } from './event-samples.ts'
import { story } from './story.ts'

const plan = {
  ceilings: { maxDollars: { value: 5, origin: '--max-cost' } },
  budget: { maxTimeSeconds: 100, allocation: 'shared' },
  items: [
    { kind: 'codon', id: 'draft', budget: { maxOutputTokens: 50 } },
    {
      kind: 'loop',
      id: 'polish',
      budget: { maxDollars: 1 },
      codons: [{ kind: 'codon', id: 'review', budget: { maxDollars: 0.5, maxContextTokens: 1_000 } }],
    },
  ],
}

const viewOf = (events: readonly ServerEvent[]) => events.reduce(reduceView, emptyView)

describe('limits', () => {
  test('are read off the plan with whose they are', () => {
    expect(limitsOfPlan(plan)).toEqual([
      { scope: { kind: 'run', origin: '--max-cost' }, currency: 'dollars', limit: 5 },
      { scope: { kind: 'run', origin: 'hank' }, currency: 'seconds', limit: 100 },
      { scope: { kind: 'codon', codonId: 'draft' }, currency: 'output-tokens', limit: 50 },
      { scope: { kind: 'loop', loopId: 'polish' }, currency: 'dollars', limit: 1 },
      { scope: { kind: 'codon', codonId: 'review' }, currency: 'dollars', limit: 0.5 },
      { scope: { kind: 'codon', codonId: 'review' }, currency: 'context-tokens', limit: 1_000 },
    ])
  })

  test('are not read off anything else, and are never too many', () => {
    for (const nonsense of [
      {},
      { budget: 3, items: 'x', ceilings: [1] },
      { items: [null, 7, { id: 1 }, { id: 'a', codons: {} }] },
    ])
      expect(limitsOfPlan(nonsense)).toEqual([])
    expect(limitsOfPlan({ budget: { maxDollars: -1, maxTimeSeconds: '3' } })).toEqual([])
    const items = Array.from({ length: 1_000 }, (_, at) => ({ id: `c${at}`, budget: { maxDollars: 1 } }))
    expect(limitsOfPlan({ items })).toHaveLength(viewCaps.limits)
  })

  test('of the run and of what is at work are shown with how much of them is used', () => {
    const told = story()
    told.tell('preflight.result', { ok: true, problems: [], plan })
    told.startRun('run-1')
    told.run('draft', 0.25)
    told.run('review#0', 0.25)
    told.start('review#1')
    told.spend('review#1', 0.125)
    const uses = limitUses(viewOf(told.events), Date.parse(timeAt(60)))
    const used = uses.map(({ scope, currency, used: amount }) => [scope.kind, currency, amount])
    expect(used).toContainEqual(['run', 'dollars', 0.625])
    expect(used).toContainEqual(['loop', 'dollars', 0.375])
    expect(used).toContainEqual(['codon', 'dollars', 0.125])
    expect(used).toContainEqual(['codon', 'context-tokens', 115])
    expect(uses.some(({ scope }) => scope.kind === 'codon' && scope.codonId === 'draft')).toBe(false)
    const later = limitUses(viewOf(told.events), Date.parse(timeAt(70)))
    const seconds = (all: typeof uses) => all.find(({ currency }) => currency === 'seconds')?.used ?? 0
    expect(seconds(later) - seconds(uses)).toBe(10)
    told.complete('review#1')
    const idle = limitUses(viewOf(told.events), Date.parse(timeAt(60)))
    expect(idle.map(({ scope }) => scope.kind)).toEqual(['run', 'run'])
  })
})
