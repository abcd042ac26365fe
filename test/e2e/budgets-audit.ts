import { type CodonExecution, currentRun } from '@weave/protocol'
import { expect } from 'vitest'
import { costReport, ledgerOf } from '../../packages/runtime/src/budget/index.ts'
import {
  after,
  codonAt,
  type Plan,
  type PlannedCodonAt,
  type Position,
  start,
} from '../../packages/runtime/src/plan/index.ts'
import {
  type Books,
  enter,
  expectedAt,
  inContainers,
  leave,
  openBooks,
  pass,
  pay,
} from '../../packages/runtime/test/budget/books.ts'
import type { Charge, RandomHank } from './budgets-hanks.ts'
import type { Rehearsed } from './budgets-rehearsal.ts'

/** Half a billionth of a dollar. */
const digits = 9

/**
 * Holds what became of a hank against the books of an accountant who knows the plan, the prices and what the model has
 * charged, and nothing of the ledger. Returns the dollars that the closed form says were spent.
 */
export function audit({ hank, calls }: RandomHank, run: Rehearsed): number {
  const { plan, state, asked, end } = run
  const records = [...(currentRun(state)?.codons ?? [])]
  const books = openBooks(plan)
  const context = JSON.stringify({ hank, calls, records })
  let spent = 0
  let isFailed = false
  for (let at: Position | undefined = start; at && !isFailed; ) {
    const step = codonAt(plan, at)
    if (!step) break
    enter(books, step)
    const expected = expectedAt(plan, books, step)
    if (expected === 'leave-loop') {
      leave(books, step)
      at = after(plan, at, { leaveLoop: true })
      continue
    }
    if (expected !== 'start') expect(asked.get(step.runtimeId), context).toBeUndefined()
    isFailed = expected === 'fail'
    if (isFailed) break
    const record = records.shift()
    expect(record?.codonId, context).toBe(step.runtimeId)
    if (!record) break
    if (expected === 'complete') expectEmpty(record, context)
    else {
      const settled = settle(plan, books, { step, record, calls, asked, context })
      spent += settled.cost
      isFailed = settled.isFailed
    }
    at = pass(plan, books, step)
  }
  expect(records, context).toEqual([])
  expect(end.status, context).toBe(isFailed ? 'failed' : 'completed')
  expectTotals(run, spent)
  return spent
}

interface Settling {
  readonly step: PlannedCodonAt
  readonly record: CodonExecution
  readonly calls: RandomHank['calls']
  readonly asked: Rehearsed['asked']
  readonly context: string
}

/** A codon that was at work: its calls until the one that reached a limit, and at most the one after it. */
function settle(plan: Plan, books: Books, { step, record, calls, asked, context }: Settling) {
  const { codon, loop, runtimeId } = step
  const charges = calls[runtimeId] ?? []
  const dollars = Math.min(
    inContainers(books, step).dollars,
    books.own?.money.left ?? Number.POSITIVE_INFINITY,
  )
  const tokens = codon.budget?.maxOutputTokens ?? Number.POSITIVE_INFINITY
  const prices = pricesOf(step)
  const costOf = (all: readonly Charge[]) => all.reduce((sum, each) => sum + price(each, prices), 0)
  const reaches = (count: number): boolean => {
    const made = charges.slice(0, count)
    return costOf(made) >= dollars || made.reduce((sum, { output }) => sum + output, 0) >= tokens
  }
  const counts = charges.map((_, index) => index + 1)
  const reached = counts.find(reaches)
  const allowed = reached ?? charges.length
  const counted = record.assistantMessageCount
  expect([allowed, Math.min(allowed + 1, charges.length)], context).toContain(counted)
  if (reached === undefined) expect(counted, context).toBe(allowed)
  expect(asked.get(runtimeId) ?? 0, context).toBeLessThanOrEqual(allowed + 1)
  // An answer that was cut off is charged as far as it was told: with all that went in, and the first word.
  const before = charges.slice(0, counted - 1)
  const last = charges.slice(counted - 1, counted)
  const begun = last.map(charge => ({ ...charge, output: 1 }))
  const forms =
    reached === undefined ? [costOf(charges)] : [last, begun].map(end => costOf([...before, ...end]))
  const cost = forms.find(form => Math.abs(form - record.cost) < 10 ** -digits)
  expect(cost, `${record.cost} is none of ${forms.join(', ')} ${context}`).toBeDefined()
  const breach = 'budgetExceeded' in record ? record.budgetExceeded : undefined
  expect(breach !== undefined, context).toBe(reached !== undefined)
  const words = [codon.budget?.onExceeded, loop?.budget?.onExceeded, plan.budget?.onExceeded]
  const isFailed = reached !== undefined && words.find(word => word !== undefined) === 'fail'
  expect(record.status, context).toBe(isFailed ? 'failed' : 'completed')
  pay(books, step, { cost: cost ?? 0, seconds: 0, observed: 0 })
  return { cost: cost ?? 0, isFailed }
}

interface PerMillion {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
}

/** OpenAI has no word for what is written into a cache: it is input like any other. */
function pricesOf({ codon }: PlannedCodonAt): PerMillion {
  const { prices, provider } = codon.model
  if (!prices) throw new Error(`${codon.model.id} has no price`)
  return provider === 'openai' ? { ...prices, cacheWrite: prices.input } : prices
}

function price(charge: Charge, prices: PerMillion): number {
  const { input, output, cacheRead, cacheWrite } = charge
  const millionths =
    input * prices.input +
    output * prices.output +
    cacheRead * prices.cacheRead +
    cacheWrite * prices.cacheWrite
  return millionths / 1e6
}

/** Nothing was left for it: it is done, at no cost, and says why. */
function expectEmpty(record: CodonExecution, context: string): void {
  expect(record, context).toMatchObject({
    status: 'completed',
    cost: 0,
    assistantMessageCount: 0,
    budgetExceeded: { currency: 'dollars' },
  })
}

/** Everybody who tells the total tells the same. */
function expectTotals({ plan, state, events }: Rehearsed, spent: number): void {
  expect(ledgerOf(state).total.dollars).toBeCloseTo(spent, digits)
  expect(state.totalCost).toBeCloseTo(spent, digits)
  expect(costReport(state, plan).totals.all).toBeCloseTo(spent, digits)
  const summary = events.findLast(event => event.type === 'run.completed')
  expect(summary?.data).toMatchObject({ totalCost: expect.closeTo(spent, digits) })
}
