import {
  allotment,
  createPool,
  mayStillSpend,
  type Plan,
  type PlannedCodonAt,
  type PlannedLoop,
  type Pool,
  type PoolUse,
  tightest,
} from '../plan/index.ts'
import { ceilingOf } from './ceiling.ts'
import type { Ledger, Spend } from './ledger.ts'
import type { Meter } from './meter.ts'

/**
 * What a codon may spend of the dollars of the loop and of the hank around it, given what was spent so far (decisions 9).
 * Whoever keeps to all of these keeps the children of a container together within its budget.
 */
export function roomsOf(plan: Plan, ledger: Ledger, step: PlannedCodonAt): readonly Meter[] {
  const inHank = roomInHank(plan, ledger, step)
  const inLoop = step.loop && roomInLoop(ledger, step, { loop: step.loop, inHank })
  return [...(inLoop ? [inLoop] : []), ...(inHank ? [inHank] : [])]
}

function roomInHank(
  plan: Plan,
  ledger: Ledger,
  { loop, codon, position }: PlannedCodonAt,
): Meter | undefined {
  const ceiling = ceilingOf(plan, 'maxDollars')
  if (!ceiling) return undefined
  const spent = dollarsOf(ledger.items)
  if (ledger.sentinelDollars > 0) spent.set(sentinels, ledger.sentinelDollars)
  const use = { spent, finished: new Set(plan.items.slice(0, position.item).map(item => item.id)) }
  const pool = poolOf(ceiling.amount, plan.budget)
  const room = roomIn(pool, use, loop?.id ?? codon.id)
  // A loop with a share acts as if it had that loop budget.
  if (loop && pool.shares.has(loop.id)) return { ...room, level: 'loop', scope: scopeOf(loop), isPart: false }
  return { ...room, level: 'hank', scope: ceiling.scope }
}

/** No codon is named so: ids are not empty. Observers have no share, they draw from what the shares leave. */
const sentinels = ''

interface LoopIn {
  readonly loop: PlannedLoop
  readonly inHank: Meter | undefined
}

function roomInLoop(
  ledger: Ledger,
  { codon, position }: PlannedCodonAt,
  { loop, inHank }: LoopIn,
): Meter | undefined {
  const { budget } = loop
  const spent = ledger.items.get(loop.id)?.dollars ?? 0
  const fromHank = inHank && spent + Math.max(0, inHank.limit - inHank.used)
  // A loop that only shares has nothing to say beyond its own limit; one that divides divides whatever it may spend.
  const total = divides(budget) ? tightest(budget?.maxDollars, fromHank) : budget?.maxDollars
  if (total === undefined) return undefined
  const isLast = position.iteration + 1 === loop.limit
  const use = {
    spent: dollarsOf(ledger.inLoops.get(loop.id)),
    // Before the last iteration every codon will spend again.
    finished: new Set(isLast ? loop.codons.slice(0, position.index).map(({ id }) => id) : []),
  }
  return { ...roomIn(poolOf(total, budget), use, codon.id), level: 'loop', scope: scopeOf(loop) }
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
function divides(budget: PlannedLoop['budget']): boolean {
  if (!budget?.shares) return false
  return (lastPools.get(budget) ?? poolOf(0, budget)).shares.size > 0
}

function roomIn(pool: Pool, use: PoolUse, child: string): Omit<Meter, 'level' | 'scope'> {
  const isPart = pool.shares.size > 0
  const currency = 'dollars'
  if (!isPart) return { currency, isPart, limit: pool.total, used: sum(use.spent.values()) }
  const used = use.spent.get(child) ?? 0
  const isUntouched = use.spent.size === 0 && use.finished.size === 0
  const left = isUntouched ? allotment(pool, child) : mayStillSpend(pool, use, child)
  // Of a part that is used up, and perhaps overdrawn by the last call, the limit is what was meant for it.
  const limit = left > 0 ? used + left : Math.min(used, allotment(pool, child))
  return { currency, isPart, limit, used }
}

function dollarsOf(book: ReadonlyMap<string, Spend> = new Map()): Map<string, number> {
  return new Map([...book].map(([id, { dollars }]) => [id, dollars]))
}

function scopeOf({ id }: PlannedLoop): string {
  return `loop:${id}`
}

function sum(amounts: Iterable<number>): number {
  let total = 0
  for (const amount of amounts) total += amount
  return total
}
