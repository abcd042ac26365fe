import { type CodonExecution, currentRun, type WeaveState } from '@weave/protocol'
import {
  codonAt,
  codonNamed,
  type Plan,
  type PlannedCodonAt,
  type PlannedLoop,
  start,
} from '../plan/index.ts'
import { emptyLedger, ledgerOf, plannedId } from './ledger.ts'
import { type Currency, ceilingOf, dollarMeters, limitsOf, type Meter, metersOf, tidy } from './meters.ts'
import { type Spend, spendOf } from './spend.ts'
import { codonLabel, loopLabel, type WorstCase, worstDollars, worstSeconds } from './worst-case.ts'

/** What can be said about the budgets of a run before it begins. */
export interface Forecast {
  /** The whole hank, each loop and each codon, in the order in which they run. */
  readonly rows: readonly ForecastRow[]
  readonly dollars: WorstCase
  readonly seconds: WorstCase
  /** What earlier executions took that came to their end; absent when there are none. */
  readonly earlier?: Observed
}

export interface ForecastRow {
  readonly label: string
  /** Empty: nothing limits this part. */
  readonly limits: readonly ForecastLimit[]
  /** Of a codon: what it took in earlier executions, in a loop for one iteration. */
  readonly observed?: ObservedCodon
}

export interface ForecastLimit {
  readonly currency: Currency
  readonly amount: number
  /** What it can become when those before it leave all that they may pass on; absent when that is no more. */
  readonly most?: number
  /** In words: `its own cap`, `40 % of the hank`, `--max-cost`. */
  readonly origin: string
}

export interface ForecastOptions {
  /** Ids of the codons that have sentinels. */
  readonly observed?: ReadonlySet<string>
  readonly earlier?: ObservedCosts | undefined
}

export function forecast(plan: Plan, { observed = new Set(), earlier }: ForecastOptions = {}): Forecast {
  const withPast = (id: string, row: ForecastRow): ForecastRow => {
    const past = earlier?.codons.get(id)
    return past ? { ...row, observed: past } : row
  }
  const rows = plan.items.flatMap((item, at) => {
    if (item.kind === 'codon') return [withPast(item.id, codonRow(plan, at))]
    const inner = item.codons.map(({ id }, index) => withPast(id, codonRow(plan, at, index)))
    return [loopRow(plan, item, at), ...inner]
  })
  return {
    rows: [hankRow(plan), ...rows],
    dollars: worstDollars(plan, observed),
    seconds: worstSeconds(plan),
    ...(earlier && earlier.executions.count > 0 && { earlier: earlier.executions }),
  }
}

function hankRow(plan: Plan): ForecastRow {
  const limit = (currency: Currency, field: 'maxDollars' | 'maxTimeSeconds'): readonly ForecastLimit[] => {
    const ceiling = ceilingOf(plan, field)
    if (!ceiling) return []
    const { amount, scope } = ceiling
    return [{ currency, amount, origin: scope === 'hank' ? 'its overrides' : scope }]
  }
  return {
    label: 'The whole hank',
    limits: [...limit('dollars', 'maxDollars'), ...limit('seconds', 'maxTimeSeconds')],
  }
}

function loopRow(plan: Plan, loop: PlannedLoop, at: number): ForecastRow {
  const own = 'its own budget'
  const inHank = ceilingOf(plan, 'maxTimeSeconds')
  return {
    label: loopLabel(loop, at),
    limits: [
      ...lowest('dollars', [[loop.budget?.maxDollars, own], leftInHank(plan, loop, at)]).map(limit =>
        withMost(limit, lowestOf(loop.budget?.maxDollars, mostInHank(plan, at))),
      ),
      ...lowest('seconds', [
        [loop.budget?.maxTimeSeconds, own],
        [inHank?.amount, leftOf(theHank)],
      ]),
    ],
  }
}

type Candidate = readonly [amount: number | undefined, origin: string]

/** What the hank leaves for a loop, whatever the loop's own budget says. */
function leftInHank(plan: Plan, { id }: PlannedLoop, at: number): Candidate {
  const planned = codonAt(plan, { ...start, item: at })
  const inHank =
    ceilingOf(plan, 'maxDollars') && planned && dollarMeters(plan, emptyLedger, opening(planned)).at(-1)
  return [inHank?.limit, partOf(theHank, plan.budget?.shares?.[id])]
}

function lowest(currency: Currency, candidates: readonly Candidate[]): readonly ForecastLimit[] {
  const limits = candidates.flatMap(([amount, origin]) =>
    amount === undefined ? [] : [{ currency, amount: tidy(amount), origin }],
  )
  const amount = Math.min(...limits.map(limit => limit.amount))
  return limits.filter(limit => limit.amount === amount).slice(0, 1)
}

function codonRow(plan: Plan, item: number, index?: number): ForecastRow {
  const planned = codonAt(plan, { item, iteration: 0, index: index ?? 0 })
  if (!planned) return { label: '', limits: [] }
  return {
    label: codonLabel(planned.codon, item, index),
    limits: limitsOf(plan, planned).map(meter => {
      const { currency, limit } = meter
      const found = { currency, amount: tidy(limit), origin: originOf(plan, planned, meter) }
      return currency === 'dollars' ? withMost(found, mostDollars(plan, planned)) : found
    }),
  }
}

function withMost(limit: ForecastLimit, most: number): ForecastLimit {
  return tidy(most) > limit.amount ? { ...limit, most: tidy(most) } : limit
}

/** The dollars of a codon when it is its turn for the last time and nobody has spent anything. */
function mostDollars(plan: Plan, { loop, position }: PlannedCodonAt): number {
  const iteration = loop?.limit == null ? position.iteration : loop.limit - 1
  const last = codonAt(plan, { ...position, iteration })
  const meters = last ? metersOf(plan, emptyLedger, last) : []
  return lowestOf(...meters.filter(({ currency }) => currency === 'dollars').map(({ limit }) => limit))
}

/** What the hank leaves for a loop when nobody before it has spent anything. */
function mostInHank(plan: Plan, at: number): number | undefined {
  const planned = codonAt(plan, { ...start, item: at })
  return ceilingOf(plan, 'maxDollars') && planned && dollarMeters(plan, emptyLedger, planned).at(-1)?.limit
}

function lowestOf(...amounts: readonly (number | undefined)[]): number {
  return Math.min(...amounts.filter(amount => amount !== undefined))
}

function originOf(plan: Plan, { codon, loop, position }: PlannedCodonAt, { level, isPart }: Meter): string {
  if (level === 'codon') return loop ? 'its own cap, per iteration' : 'its own cap'
  const container = level === 'loop' && loop ? loopLabel(loop, position.item) : theHank
  if (!isPart) return leftOf(container)
  const shares = level === 'loop' ? loop?.budget?.shares : plan.budget?.shares
  return partOf(container, shares?.[level === 'hank' && loop ? loop.id : codon.id])
}

const theHank = 'the hank'

function leftOf(container: string): string {
  return `what is left of ${container}`
}

function partOf(container: string, share: number | undefined): string {
  return share === undefined ? leftOf(container) : `${Number((share * 100).toFixed(2))} % of ${container}`
}

/** At the start no child has finished, so none has left anything of its share to another. */
function opening(planned: PlannedCodonAt): PlannedCodonAt {
  return { ...planned, position: start }
}

interface Range {
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
