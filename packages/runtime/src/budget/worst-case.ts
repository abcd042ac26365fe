import {
  allotment,
  createPool,
  type Plan,
  type PlannedCodon,
  type PlannedItem,
  type PlannedLoop,
} from '../plan/index.ts'
import { ceilingOf, tidy } from './meters.ts'

/** The most that a run can use, but for the one call that is under way when a limit is reached. */
export type WorstCase =
  | { readonly kind: 'bounded'; readonly amount: number }
  | { readonly kind: 'unbounded'; readonly reasons: readonly string[] }

/** `observed`: ids of codons with sentinels, whose money no limit but that of the hank holds. */
export function worstDollars(plan: Plan, observed: ReadonlySet<string>): WorstCase {
  const ceiling = ceilingOf(plan, 'maxDollars')
  const children = plan.items.map((item, at): Child => ({ id: item.id, most: itemDollars(item, at) }))
  const watchers = observedWords(plan, observed)
  const all = watchers === undefined ? children : [...children, { id: '', most: endless(watchers) }]
  return verdict(within(ceiling?.amount, all, plan.budget))
}

export function worstSeconds(plan: Plan): WorstCase {
  const most = sum(plan.items.map(itemSeconds))
  return verdict(atMost(most, ceilingOf(plan, 'maxTimeSeconds')?.amount))
}

/** An upper bound while it is put together. */
interface Most {
  /** Infinity: nothing bounds it from inside. */
  readonly amount: number
  /** Why nothing does; a limit around it settles these. */
  readonly reasons: readonly string[]
  /** Why no limit can. */
  readonly beyond: readonly string[]
}

interface Child {
  readonly id: string
  readonly most: Most
}

const bounded = (amount: number, reasons: readonly string[] = []): Most => ({ amount, reasons, beyond: [] })
const endless = (reason: string): Most => bounded(Number.POSITIVE_INFINITY, [reason])

function itemDollars(item: PlannedItem, at: number): Most {
  if (item.kind === 'codon') return codonDollars(item, codonLabel(item, at))
  const children = item.codons.map((codon, index): Child => {
    const one = codonDollars(codon, codonLabel(codon, at, index))
    return { id: codon.id, most: repeated(one, item, at) }
  })
  return within(item.budget?.maxDollars, children, item.budget)
}

function codonDollars({ model, budget }: PlannedCodon, label: string): Most {
  if (model.prices) return limited(budget?.maxDollars, `${label} has no dollar limit`)
  return { ...bounded(0), beyond: [`${label} uses ${model.id}, whose price is not known`] }
}

function limited(amount: number | undefined, without: string): Most {
  return amount === undefined ? endless(without) : bounded(amount)
}

function itemSeconds(item: PlannedItem, at: number): Most {
  const one = ({ budget }: PlannedCodon, label: string): Most =>
    limited(budget?.maxTimeSeconds, `${label} has no time limit`)
  if (item.kind === 'codon') return one(item, codonLabel(item, at))
  const all = sum(item.codons.map((codon, index) => one(codon, codonLabel(codon, at, index))))
  return atMost(repeated(all, item, at), item.budget?.maxTimeSeconds)
}

/** All iterations of a loop. */
function repeated(one: Most, loop: PlannedLoop, at: number): Most {
  if (loop.limit !== null) return { ...one, amount: one.amount * loop.limit }
  const reason = `${loopLabel(loop, at)} repeats until the context is full`
  return { amount: Number.POSITIVE_INFINITY, reasons: [...one.reasons, reason], beyond: one.beyond }
}

/** What children can use together of a container's dollars. Strict shares bound each of them, others only all together. */
function within(total: number | undefined, children: readonly Child[], budget: Plan['budget']): Most {
  if (total === undefined) return sum(children.map(({ most }) => most))
  const pool = createPool(total, budget)
  if (pool.allocation !== 'proportional-strict') return atMost(sum(children.map(({ most }) => most)), total)
  const owners = children.filter(({ id }) => pool.shares.has(id))
  const others = children.filter(({ id }) => !pool.shares.has(id))
  const parts = [
    ...owners.map(({ id, most }) => atMost(most, allotment(pool, id))),
    atMost(sum(others.map(({ most }) => most)), pool.rest),
  ]
  return atMost(sum(parts), total)
}

function atMost(most: Most, limit: number | undefined): Most {
  if (limit === undefined) return most
  return { amount: Math.min(most.amount, limit), reasons: [], beyond: most.beyond }
}

function sum(parts: readonly Most[]): Most {
  return {
    amount: parts.reduce((total, { amount }) => total + amount, 0),
    reasons: [...new Set(parts.flatMap(({ reasons }) => reasons))],
    beyond: [...new Set(parts.flatMap(({ beyond }) => beyond))],
  }
}

function verdict({ amount, reasons, beyond }: Most): WorstCase {
  const all = [...beyond, ...reasons]
  return all.length === 0 ? { kind: 'bounded', amount: tidy(amount) } : { kind: 'unbounded', reasons: all }
}

const mostNamed = 3

function observedWords(plan: Plan, observed: ReadonlySet<string>): string | undefined {
  const labels = plan.items
    .flatMap((item, at) =>
      item.kind === 'codon'
        ? { id: item.id, label: codonLabel(item, at) }
        : item.codons.map((codon, index) => ({ id: codon.id, label: codonLabel(codon, at, index) })),
    )
    .flatMap(({ id, label }) => (observed.has(id) ? [label] : []))
  if (labels.length === 0) return undefined
  const more = labels.length - mostNamed
  const words = `${labels.slice(0, mostNamed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
  return `the sentinels of ${words} have no dollar limit but that of the whole hank`
}

/** As the checks of a hank name it too: `Codon 2 (draft)`, in a loop `Codon 3.1 (review)`. Places are counted from 0. */
export function codonLabel({ id }: PlannedCodon, item: number, index?: number): string {
  return `Codon ${item + 1}${index === undefined ? '' : `.${index + 1}`} (${id})`
}

/** `Loop 3 (fix)`. */
export function loopLabel({ id }: PlannedLoop, item: number): string {
  return `Loop ${item + 1} (${id})`
}
