import {
  codonAt,
  find,
  type Plan,
  type PlannedCodon,
  type PlannedCodonAt,
  type PlannedItem,
  type PlannedLoop,
  type PlannedModel,
} from '../../src/plan/index.ts'
import { codonPlan, loopPlan, planOf } from '../runner/plans.ts'

/** Plans for tests of budgets: what a test says, and the defaults of a hank. */

const pricedModel: PlannedModel = {
  id: 'known',
  provider: 'test',
  harness: 'embedded',
  identity: 'embedded:test/known',
  contextWindow: 200_000,
  prices: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75, source: 'a list', date: '2026-01-01' },
}

export const unpricedModel: PlannedModel = {
  id: 'mystery',
  provider: 'test',
  harness: 'embedded',
  identity: 'embedded:test/mystery',
  contextWindow: 200_000,
}

export function codon(
  id: string,
  budget?: PlannedCodon['budget'],
  more: Partial<PlannedCodon> = {},
): PlannedCodon {
  return codonPlan(id, { model: pricedModel, ...(budget && { budget }), ...more })
}

export function loop(
  id: string,
  limit: number | null,
  { codons, budget }: { readonly codons: readonly PlannedCodon[]; readonly budget?: PlannedLoop['budget'] },
): PlannedLoop {
  return { ...loopPlan(id, limit, codons), ...(budget && { budget }) }
}

export function plan(
  items: readonly PlannedItem[],
  more: Partial<Pick<Plan, 'budget' | 'ceilings'>> = {},
): Plan {
  return { ...planOf(...items), ...more }
}

/** The place of a runtime id that is there. */
export function stepOf(of: Plan, runtimeId: string): PlannedCodonAt {
  const position = find(of, runtimeId)
  const step = position && codonAt(of, position)
  if (!step) throw new Error(`the plan has no ${runtimeId}`)
  return step
}
