import type { mayStart } from '../../src/budget/index.ts'
import { after, type Plan, type PlannedCodonAt, type Position } from '../../src/plan/index.ts'
import {
  type Counter,
  counter,
  type Entry,
  finish,
  loopTill,
  mayTake,
  openTill,
  type Till,
  take,
} from './naive-accountant.ts'

/** What an accountant knows of one run, from its beginning: the money of the hank, of the loop and of the codon. */
export interface Books {
  readonly hank: Till | undefined
  readonly hankTime: Counter
  loop: { readonly id: string; readonly entries: Entry[]; readonly time: Counter } | undefined
  own: { readonly id: string; readonly money: Counter; readonly time: Counter } | undefined
}

export function openBooks({ budget, ceilings }: Plan): Books {
  const total = Math.min(
    budget?.maxDollars ?? Number.POSITIVE_INFINITY,
    ceilings?.maxDollars?.value ?? Number.POSITIVE_INFINITY,
  )
  return {
    hank: Number.isFinite(total) ? openTill(total, budget) : undefined,
    hankTime: counter(budget?.maxTimeSeconds),
    loop: undefined,
    own: undefined,
  }
}

/** A codon is due. */
export function enter(books: Books, { loop, codon, runtimeId }: PlannedCodonAt): void {
  if (loop && books.loop?.id !== loop.id) {
    books.loop = { id: loop.id, entries: [], time: counter(loop.budget?.maxTimeSeconds) }
  }
  if (!loop) books.loop = undefined
  if (books.own?.id === runtimeId) return
  const { maxDollars, maxTimeSeconds } = codon.budget ?? {}
  books.own = { id: runtimeId, money: counter(maxDollars), time: counter(maxTimeSeconds) }
}

/** What loop and hank leave for a codon. */
export function inContainers(books: Books, { loop, codon }: Pick<PlannedCodonAt, 'loop' | 'codon'>) {
  const inHank = books.hank ? mayTake(books.hank, loop?.id ?? codon.id) : Number.POSITIVE_INFINITY
  const till = loop && loopTill(loop, books.hank, books.loop?.entries ?? [])
  const inLoop = till ? mayTake(till, codon.id) : Number.POSITIVE_INFINITY
  return {
    dollars: Math.min(inHank, inLoop),
    seconds: Math.min(books.hankTime.left, books.loop?.time.left ?? Number.POSITIVE_INFINITY),
  }
}

/** What must become of the codon that is due. */
export function expectedAt(
  { budget }: Plan,
  books: Books,
  step: PlannedCodonAt,
): ReturnType<typeof mayStart>['kind'] {
  const { loop, codon, position } = step
  const dry = (each: PlannedCodonAt['codon']) => {
    const { dollars, seconds } = inContainers(books, { codon: each, ...(loop && { loop }) })
    return dollars <= 0 || seconds <= 0
  }
  const spent = (books.own?.money.left ?? 1) <= 0 || (books.own?.time.left ?? 1) <= 0
  if (!dry(codon) && !spent) return 'start'
  const words = [codon.budget?.onExceeded, loop?.budget?.onExceeded, budget?.onExceeded, 'complete']
  if (words.find(word => word !== undefined) === 'fail') return 'fail'
  if (!loop || !dry(codon)) return 'complete'
  const isLast = position.iteration + 1 === loop.limit
  return loop.codons.every((each, index) => (isLast && index < position.index) || dry(each))
    ? 'leave-loop'
    : 'complete'
}

/** What an attempt took; `observed`: its sentinels. */
export interface Paid {
  readonly cost: number
  readonly seconds: number
  readonly observed: number
}

export function pay(books: Books, { loop, codon }: PlannedCodonAt, { cost, seconds, observed }: Paid): void {
  if (books.hank) take(books.hank, loop?.id ?? codon.id, cost)
  if (books.hank) take(books.hank, 'no codon is named like the sentinels', observed)
  books.loop?.entries.push({ child: codon.id, amount: cost })
  if (books.own) books.own.money.left -= cost
  for (const clock of [books.own?.time, books.loop?.time, books.hankTime]) if (clock) clock.left -= seconds
}

const mostIterations = 4

/** On to the next place; a loop until the context is full ends after a while. */
export function pass(plan: Plan, books: Books, step: PlannedCodonAt): Position {
  const { loop, position } = step
  const isLast = loop !== undefined && position.iteration + 1 === loop.limit
  if (isLast) books.loop?.entries.push({ finished: step.codon.id })
  const leaveLoop = loop?.limit === null && position.iteration + 1 >= mostIterations
  const next = after(plan, position, { leaveLoop })
  if (next.item !== position.item) leave(books, step)
  return next
}

/** An item is over. */
export function leave(books: Books, { loop, codon }: PlannedCodonAt): void {
  if (books.hank) finish(books.hank, loop?.id ?? codon.id)
}
