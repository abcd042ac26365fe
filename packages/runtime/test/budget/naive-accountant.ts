import type { Plan, PlannedLoop } from '../../src/plan/index.ts'

/**
 * An accountant that knows nothing of the room under test: it puts real money into envelopes and takes it out again. One
 * run from the beginning to the end, without a step back.
 */

type Budget = NonNullable<Plan['budget']>

/** The money of one container. */
interface Till {
  /** All that is left. */
  left: number
  /** Of each child that has a share. */
  readonly envelopes: Map<string, number>
  /** For all others; of a till without envelopes, everything. */
  common: number
  /** What finished children gave back; below zero when somebody took more than there was. */
  returned: number
  readonly givesBack: boolean
}

export function openTill(total: number, { allocation = 'shared', shares = {} }: Budget = {}): Till {
  const envelopes = new Map(
    allocation === 'shared' ? [] : Object.entries(shares).map(([id, share]) => [id, share * total]),
  )
  const promised = [...envelopes.values()].reduce((sum, each) => sum + each, 0)
  return {
    left: total,
    envelopes,
    common: Math.max(0, total - promised),
    returned: 0,
    givesBack: allocation === 'proportional',
  }
}

/** How much a child may take now. */
export function mayTake(till: Till, child: string): number {
  const own = till.envelopes.get(child) ?? till.common
  const back = till.givesBack ? Math.max(0, till.returned) : 0
  return Math.max(0, Math.min(till.left, own + back))
}

/** Takes money, whether it is there or not: a call that was made must be paid. */
export function take(till: Till, child: string, amount: number): void {
  till.left -= amount
  const own = till.envelopes.get(child) ?? till.common
  const fromOwn = Math.min(own, amount)
  if (till.envelopes.has(child)) till.envelopes.set(child, own - fromOwn)
  else till.common = own - fromOwn
  till.returned -= amount - fromOwn
}

/** A child that will not come again gives its envelope back, or it is lost. */
export function finish(till: Till, child: string): void {
  const rest = till.envelopes.get(child)
  if (rest === undefined) return
  till.envelopes.set(child, 0)
  if (till.givesBack) till.returned += rest
}

/** A plain sum against a limit. */
export interface Counter {
  left: number
}

export function counter(limit: number | undefined): Counter {
  return { left: limit ?? Number.POSITIVE_INFINITY }
}

/** What was done with the money of a loop, in order. */
export type Entry = { readonly child: string; readonly amount: number } | { readonly finished: string }

/**
 * The till of a loop: its own budget, and no more than the hank gives it. Sentinels may take from the hank at any time, so
 * it is opened anew for each look, and everything that happened happens again.
 */
export function loopTill(
  loop: PlannedLoop,
  hank: Till | undefined,
  entries: readonly Entry[],
): Till | undefined {
  const spent = entries.reduce((sum, entry) => sum + ('amount' in entry ? entry.amount : 0), 0)
  const total = Math.min(
    loop.budget?.maxDollars ?? Number.POSITIVE_INFINITY,
    hank ? spent + mayTake(hank, loop.id) : Number.POSITIVE_INFINITY,
  )
  if (!Number.isFinite(total)) return undefined
  const till = openTill(total, loop.budget)
  for (const entry of entries) {
    if ('amount' in entry) take(till, entry.child, entry.amount)
    else finish(till, entry.finished)
  }
  return till
}

export type { Till }
