import type { BudgetBreach } from '@weave/protocol'
import {
  allotment,
  createPool,
  mayStillSpend,
  type Plan,
  type PlannedCodonAt,
  type PlannedLoop,
  type Pool,
  type PoolUse,
  start,
  tightest,
} from '../plan/index.ts'
import { emptyLedger, type Ledger } from './ledger.ts'
import { noSpend, type Spend } from './spend.ts'

export type Currency = BudgetBreach['currency']

/** A limit that holds for one attempt at a codon, and what counted against it when the attempt began. */
export interface Meter {
  readonly currency: Currency
  readonly level: 'codon' | 'loop' | 'hank'
  /** As a breach names it: `codon`, `loop:<id>`, `hank`, or the setting the limit came from. */
  readonly scope: string
  readonly limit: number
  readonly used: number
  /** The limit is what the container leaves for this child, and only what the child uses counts against it. */
  readonly isPart: boolean
}

/** Ten times a tenth does not make one in floating point; a limit is reached all the same. */
const rounding = 1e-9

export function isReached(used: number, limit: number): boolean {
  return used >= limit * (1 - rounding)
}

/** An amount for people and records: rounded to a billionth, which removes floating-point error. */
export function tidy(amount: number): number {
  return Number(amount.toFixed(9))
}

/** The tightest limit of the whole run. `scope`: `hank`, or the setting that is tighter: `--max-cost`, `weave.json`. */
export function ceilingOf(plan: Plan, field: 'maxDollars' | 'maxTimeSeconds') {
  const own = plan.budget?.[field]
  const given = plan.ceilings?.[field]
  if (given && (own === undefined || given.value < own)) return { amount: given.value, scope: given.origin }
  return own === undefined ? undefined : { amount: own, scope: 'hank' }
}

/**
 * What holds for a codon when the run begins: of each currency the tightest limit, with the scope it comes from; of
 * limits that are equal the nearest. Currencies without a limit are not there.
 */
export function limitsOf(plan: Plan, codon: PlannedCodonAt): readonly Meter[] {
  // At the start no child has finished, so none has left anything of its share to another.
  const meters = metersOf(plan, emptyLedger, { ...codon, position: start })
  return currencies.flatMap(currency => {
    const alike = meters.filter(meter => meter.currency === currency)
    const lowest = Math.min(...alike.map(({ limit }) => limit))
    return alike.filter(({ limit }) => limit === lowest).slice(0, 1)
  })
}

const currencies: readonly Currency[] = ['dollars', 'seconds', 'output-tokens', 'context-tokens']

export type OnExceeded = 'complete' | 'fail'

/** What happens to a codon at a limit, whichever it is: the nearest budget that says so counts. */
export function onExceededOf({ budget }: Plan, { codon, loop }: PlannedCodonAt): OnExceeded {
  return codon.budget?.onExceeded ?? loop?.budget?.onExceeded ?? budget?.onExceeded ?? 'complete'
}

/** Every limit that holds for an attempt which begins now, the nearest first. */
export function metersOf(plan: Plan, ledger: Ledger, codon: PlannedCodonAt): readonly Meter[] {
  return [...ownMeters(ledger, codon), ...containerMeters(plan, ledger, codon)]
}

/** The caps of the codon itself; in a loop they begin anew with each iteration. */
export function ownMeters(ledger: Ledger, { codon, runtimeId }: PlannedCodonAt): readonly Meter[] {
  const { dollars, seconds, tokens } = ledger.underway.get(runtimeId) ?? noSpend
  const { budget } = codon
  const own = (currency: Currency, limit: number | undefined, used: number): readonly Meter[] =>
    limit === undefined ? [] : [{ currency, level: 'codon', scope: 'codon', limit, used, isPart: false }]
  return [
    ...own('dollars', budget?.maxDollars, dollars),
    ...own('seconds', budget?.maxTimeSeconds, seconds),
    ...own('output-tokens', budget?.maxOutputTokens, tokens.outputTokens),
    // The most that one turn holds: an attempt begins with none, and turns do not add up.
    ...own('context-tokens', budget?.maxContextTokens, 0),
  ]
}

/** The limits of the loop and of the whole run. */
export function containerMeters(plan: Plan, ledger: Ledger, codon: PlannedCodonAt): readonly Meter[] {
  return [...dollarMeters(plan, ledger, codon), ...timeMeters(plan, ledger, codon)]
}

function timeMeters(plan: Plan, ledger: Ledger, { loop }: PlannedCodonAt): readonly Meter[] {
  const common = { currency: 'seconds', isPart: false } as const
  const inLoop = loop?.budget?.maxTimeSeconds
  const inHank = ceilingOf(plan, 'maxTimeSeconds')
  const meters: Meter[] = []
  if (loop && inLoop !== undefined) {
    const used = ledger.items.get(loop.id)?.seconds ?? 0
    meters.push({ ...common, level: 'loop', scope: scopeOf(loop), limit: inLoop, used })
  }
  if (inHank) {
    const used = ledger.total.seconds
    meters.push({ ...common, level: 'hank', scope: inHank.scope, limit: inHank.amount, used })
  }
  return meters
}

/**
 * What a codon may spend of the dollars of the loop and of the hank around it, given what was spent so far. As long as each
 * child keeps to these, the children of a container together keep to its budget.
 */
export function dollarMeters(plan: Plan, ledger: Ledger, codon: PlannedCodonAt): readonly Meter[] {
  const inHank = hankDollars(plan, ledger, codon)
  return [loopDollars(ledger, codon, inHank), inHank].filter(meter => meter !== undefined)
}

function hankDollars(
  plan: Plan,
  ledger: Ledger,
  { loop, codon, position }: PlannedCodonAt,
): Meter | undefined {
  const ceiling = ceilingOf(plan, 'maxDollars')
  if (!ceiling) return undefined
  const spent = dollarsOf(ledger.items)
  const beside = ledger.sentinelDollars + ledger.lostDollars
  if (beside > 0) spent.set(noCodon, beside)
  const use = { spent, finished: new Set(plan.items.slice(0, position.item).map(item => item.id)) }
  const pool = poolOf(ceiling.amount, plan.budget)
  const meter = poolMeter(pool, use, loop?.id ?? codon.id)
  // A loop with a share acts as if it had that loop budget.
  if (loop && pool.shares.has(loop.id))
    return { ...meter, level: 'loop', scope: scopeOf(loop), isPart: false }
  return { ...meter, level: 'hank', scope: ceiling.scope }
}

/** No codon is named so: ids are not empty. Sentinels, and what was lost, have no share: they draw from what the shares leave. */
const noCodon = ''

function loopDollars(
  ledger: Ledger,
  { codon, loop, position }: PlannedCodonAt,
  inHank: Meter | undefined,
): Meter | undefined {
  if (!loop) return undefined
  const { budget } = loop
  const spent = ledger.items.get(loop.id)?.dollars ?? 0
  const fromHank = inHank && spent + Math.max(0, inHank.limit - inHank.used)
  // Without shares only the loop's own limit adds a meter; with shares the loop divides the tighter of that limit and what
  // the hank leaves for it.
  const total = hasShares(budget) ? tightest(budget?.maxDollars, fromHank) : budget?.maxDollars
  if (total === undefined) return undefined
  const isLast = position.iteration + 1 === loop.limit
  const use = {
    spent: dollarsOf(ledger.inLoops.get(loop.id)),
    // Before the last iteration every codon will spend again.
    finished: new Set(isLast ? loop.codons.slice(0, position.index).map(({ id }) => id) : []),
  }
  return { ...poolMeter(poolOf(total, budget), use, codon.id), level: 'loop', scope: scopeOf(loop) }
}

/** By budget, the pool that was last made of it: a hank may have ten thousand shares, and as many children that ask. */
const lastPools = new WeakMap<object, Pool>()

function poolOf(total: number, budget: PlannedLoop['budget']): Pool {
  if (!budget?.shares) return createPool(total, budget)
  const last = lastPools.get(budget)
  if (last?.total === total) return last
  const pool = createPool(total, budget)
  lastPools.set(budget, pool)
  return pool
}

/** Whether some child of a loop has a share; how much there is to share does not matter. */
function hasShares(budget: PlannedLoop['budget']): boolean {
  if (!budget?.shares) return false
  return (lastPools.get(budget) ?? poolOf(0, budget)).shares.size > 0
}

function poolMeter(pool: Pool, use: PoolUse, child: string): Omit<Meter, 'level' | 'scope'> {
  const isPart = pool.shares.size > 0
  const currency = 'dollars'
  if (!isPart) {
    const used = [...use.spent.values()].reduce((sum, amount) => sum + amount, 0)
    return { currency, isPart, limit: pool.total, used }
  }
  const used = use.spent.get(child) ?? 0
  const isUntouched = use.spent.size === 0 && use.finished.size === 0
  const left = isUntouched ? allotment(pool, child) : mayStillSpend(pool, use, child)
  // Once a share is used up the limit shown is the share itself, even if the last call overdrew it.
  const limit = left > 0 ? used + left : Math.min(used, allotment(pool, child))
  return { currency, isPart, limit, used }
}

function dollarsOf(book: ReadonlyMap<string, Spend> = new Map()): Map<string, number> {
  return new Map([...book].map(([id, { dollars }]) => [id, dollars]))
}

function scopeOf({ id }: PlannedLoop): string {
  return `loop:${id}`
}
