import { currentRun, type WeaveState } from '@weave/protocol'
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

export interface ObservedCosts {
  /** Executions that came to their end, with everything they spent on the way. */
  readonly executions: Observed
  /** By codon id: each time a codon was done, in a loop each iteration; attempts that failed are not in it. */
  readonly codons: ReadonlyMap<string, Observed>
}

/** From the states of earlier executions of the same hank. */
export function observedCosts(states: readonly WeaveState[]): ObservedCosts {
  const codons = new Map<string, Spend[]>()
  for (const run of states.flatMap(({ runs }) => runs)) {
    for (const record of run.codons) {
      if (record.status !== 'completed') continue
      const id = plannedId(record)
      codons.set(id, [...(codons.get(id) ?? []), spendOf(record, run, {})])
    }
  }
  const done = states.filter(state => currentRun(state)?.status === 'completed')
  return {
    executions: observed(done.map(state => ledgerOf(state).total)),
    codons: new Map([...codons].map(([id, spends]) => [id, observed(spends)])),
  }
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
