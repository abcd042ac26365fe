import type { ReportAttempt, ReportRun } from '@weave/protocol'
import type { Plan } from '@weave/runtime'
import { expect } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { budgetRows } from '../../src/report/budget-rows.ts'

function attempt(codonId: string, cost: number, inLoop?: { id: string; iteration: number }): ReportAttempt {
  const tokens = { input: 0, cacheWrite: 0, cacheRead: 0, output: 0 }
  const state = { codonName: codonId, attempt: 1, status: 'completed', model: 'm', isUndone: false } as const
  const numbers = { fromMs: 0, durationMs: 2_000, cost, isCostUnknown: false, tokens }
  return { codonId, ...state, ...numbers, ...(inLoop && { loop: inLoop }) }
}

verifies(['repair/report-loop-budget'], 'a loop has one row with its own limit and its own sum', () => {
  const items = [
    { kind: 'codon', id: 'draft', budget: { maxDollars: 3 } },
    { kind: 'loop', id: 'polish', budget: { maxDollars: 1 }, codons: [{ id: 'critique' }, { id: 'revise' }] },
  ]
  // As much of a plan as budgets are about.
  const plan = { items, budget: { maxDollars: 4 } } as unknown as Plan
  const times = [0, 1].flatMap(iteration => [
    attempt(`critique#${iteration}`, 0.25, { id: 'polish', iteration }),
    attempt(`revise#${iteration}`, 0.125, { id: 'polish', iteration }),
  ])
  const run = { attempts: [attempt('draft', 1), ...times] } as unknown as ReportRun
  const line = (source: string, limit: number) => [
    { currency: 'dollars' as const, limit, used: 0.25, source },
  ]
  const lines = new Map([
    ['draft', line('codon', 3)],
    ['critique#0', line('loop:polish', 1)],
    ['critique#1', line('loop:polish', 1)],
  ])
  expect(budgetRows(plan, [run], { dollars: 1.75, lines })).toEqual([
    { name: 'whole hank', source: 'the hank', currency: 'dollars', limit: 4, used: 1.75 },
    { name: 'loop polish', source: 'the loop', currency: 'dollars', limit: 1, used: 0.75 },
    { name: 'draft', source: 'codon', currency: 'dollars', limit: 3, used: 0.25 },
  ])
})
