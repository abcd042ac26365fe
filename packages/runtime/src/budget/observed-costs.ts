import { type CodonExecution, currentRun, type WeaveState } from '@weave/protocol'
import { codonNamed, type Plan } from '../plan/index.ts'
import { ledgerOf, plannedId, type Spend, spendOf } from './ledger.ts'

export interface Range {
  readonly low: number
  readonly high: number
}

/** What something has taken before: how often it was seen, and between which bounds. */
export interface Observed {
  readonly count: number
  /** Absent when nothing seen had a known price. */
  readonly dollars?: Range
  readonly seconds?: Range
}

/** `count`: each time the codon was done, in a loop each iteration; attempts that failed are not in it. */
export interface ObservedCodon extends Observed {
  /** In how many executions. */
  readonly executions: number
}

export interface ObservedCosts {
  /** Executions that came to their end, with everything they spent on the way. */
  readonly executions: Observed
  /** By codon id. */
  readonly codons: ReadonlyMap<string, ObservedCodon>
}

/** From the states of earlier executions of a hank. A codon counts that was done with the model that the plan has for it. */
export function observedCosts(states: readonly WeaveState[], plan: Plan): ObservedCosts {
  const codons = new Map<string, { readonly spends: Spend[]; readonly states: Set<WeaveState> }>()
  for (const state of states) {
    for (const { record, run } of state.runs.flatMap(each =>
      each.codons.map(one => ({ record: one, run: each })),
    )) {
      if (record.status !== 'completed' || !isPlanned(record, plan)) continue
      const id = plannedId(record)
      const seen = codons.get(id) ?? { spends: [], states: new Set() }
      seen.spends.push(spendOf(record, run, {}))
      seen.states.add(state)
      codons.set(id, seen)
    }
  }
  const done = states.filter(state => currentRun(state)?.status === 'completed')
  return {
    executions: observed(done.map(state => ledgerOf(state).total)),
    codons: new Map(
      [...codons].map(([id, seen]) => [id, { ...observed(seen.spends), executions: seen.states.size }]),
    ),
  }
}

function isPlanned({ codonId, model }: CodonExecution, plan: Plan): boolean {
  return codonNamed(plan, codonId)?.codon.model.id === model
}

/** A cost that is not known in full says nothing about the range: it is left out, never taken for zero. */
function observed(spends: readonly Spend[]): Observed {
  const dollars = rangeOf(spends.flatMap(({ dollars, costUnknown }) => (costUnknown ? [] : [dollars])))
  const seconds = rangeOf(spends.map(spend => spend.seconds))
  return { count: spends.length, ...(dollars && { dollars }), ...(seconds && { seconds }) }
}

function rangeOf(amounts: readonly number[]): Range | undefined {
  const [first, ...others] = amounts
  if (first === undefined) return undefined
  return others.reduce<Range>(
    ({ low, high }, amount) => ({ low: Math.min(low, amount), high: Math.max(high, amount) }),
    { low: first, high: first },
  )
}
