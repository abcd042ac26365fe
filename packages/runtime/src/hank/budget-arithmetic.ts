import type { SharedBudget } from './schema.ts'

/**
 * Who may spend how much of a container's dollars . Pure: knows amounts, neither money that really flows nor
 * the limits on time. Amounts are exact up to the rounding of floating point, never negative, and together never more
 * than the container has, even when its shares promise more than there is.
 */

export type Allocation = NonNullable<SharedBudget['allocation']>

/** The dollars of a container, the whole hank or a loop, and how its children divide them. */
export interface Pool {
  readonly total: number
  readonly allocation: Allocation
  /** Child id to its part of `total`; empty with `shared`. */
  readonly shares: ReadonlyMap<string, number>
  /** What the shares leave of `total` for all children without one; with `shared`, everything. */
  readonly rest: number
}

/** What the children of a pool have used so far. */
export interface PoolUse {
  readonly spent: ReadonlyMap<string, number>
  /** Children that will not spend any more; a loop's codons only when the loop ends. */
  readonly finished: ReadonlySet<string>
}

/** The lowest of the limits that exist: a limit only ever lowers another. */
export function tightest(...limits: readonly (number | undefined)[]): number | undefined {
  return limits.reduce((low, limit) => {
    if (limit === undefined) return low
    return low === undefined ? limit : Math.min(low, limit)
  }, undefined)
}

export function createPool(
  total: number,
  { allocation = 'shared', shares = {} }: Pick<SharedBudget, 'allocation' | 'shares'> = {},
): Pool {
  if (allocation === 'shared') return { total, allocation, shares: new Map(), rest: total }
  const rest = total * Math.max(0, unallocatedPart(shares))
  return { total, allocation, shares: new Map(Object.entries(shares)), rest }
}

/**
 * What the shares leave of 1: negative when they promise too much, and exactly 0 when they add up to 1 but for rounding
 * (ten times 0.1 does not make 1 in floating point).
 */
export function unallocatedPart(shares: Readonly<Record<string, number>>): number {
  const left = 1 - Object.values(shares).reduce((sum, share) => sum + share, 0)
  return Math.abs(left) < rounding ? 0 : left
}

/** More by so much that it is not rounding. */
export function exceeds(amount: number, limit: number): boolean {
  return amount > limit * (1 + rounding)
}

const rounding = 1e-9

/** What a child may count on before anything is spent: its share, or else, together with its like, what the shares leave. */
export function allotment(pool: Pool, child: string): number {
  const share = pool.shares.get(child)
  return share === undefined ? pool.rest : share * pool.total
}

/**
 * What a child may still spend now.
 *
 * `shared`: all that is left. `proportional`: what is left of its own share, or else of the rest; and on top what
 * finished children left of their shares, first come, first served. `proportional-strict`: the same without that.
 */
export function mayStillSpend(pool: Pool, use: PoolUse, child: string): number {
  const left = pool.total - sum(use.spent.values())
  const own = pool.shares.has(child) ? unusedShare(pool, use, child) : unusedRest(pool, use)
  const returned = pool.allocation === 'proportional' ? returnedTo(pool, use) : 0
  return Math.max(0, Math.min(left, own + returned))
}

function unusedShare(pool: Pool, { spent, finished }: PoolUse, child: string): number {
  return finished.has(child) ? 0 : Math.max(0, allotment(pool, child) - (spent.get(child) ?? 0))
}

function unusedRest(pool: Pool, use: PoolUse): number {
  return Math.max(0, pool.rest - spentWithoutShare(pool, use))
}

/** What finished children left of their shares, less what others have already taken of it beyond their own part. */
function returnedTo(pool: Pool, use: PoolUse): number {
  const { spent, finished } = use
  const balances = [...pool.shares.keys()].map(child => {
    const balance = allotment(pool, child) - (spent.get(child) ?? 0)
    return finished.has(child) ? balance : Math.min(0, balance)
  })
  const beyondRest = Math.max(0, spentWithoutShare(pool, use) - pool.rest)
  return Math.max(0, sum(balances) - beyondRest)
}

function spentWithoutShare(pool: Pool, { spent }: PoolUse): number {
  return sum([...spent].map(([child, amount]) => (pool.shares.has(child) ? 0 : amount)))
}

function sum(amounts: Iterable<number>): number {
  let total = 0
  for (const amount of amounts) total += amount
  return total
}
