import type { TokenCounts } from '@weave/protocol'
import fc from 'fast-check'
import { expect } from 'vitest'
import { createTestClock } from '../../../../test/support/test-clock.ts'
import { createBudgetGuard, dueAt, ledgerOf } from '../../src/budget/index.ts'
import { after, codonAt, type Plan, type PlannedCodonAt, type Position, start } from '../../src/plan/index.ts'
import { amount } from './arbitrary-plans.ts'
import { type Books, enter, expectedAt, inContainers, leave, openBooks, pass, pay } from './books.ts'
import { createPast, type Past } from './past.ts'

/** What agents do, codon after codon: calls that cost money and time, and what their sentinels spend meanwhile. */
export const agent = fc.array(
  fc.record({
    calls: fc.array(
      fc.record({ dollars: amount.map(dollars => dollars / 4), seconds: fc.nat({ max: 20 }) }),
      {
        minLength: 1,
        maxLength: 4,
      },
    ),
    sentinels: fc.constantFrom(0, 0, 0, 0.25, 1),
    /** The attempt fails after its calls and is made once more. */
    fails: fc.boolean(),
  }),
  { minLength: 1, maxLength: 12 },
)
export type Agent = typeof agent extends fc.Arbitrary<infer T> ? T : never

const mostSteps = 60

/** What codons used in a run, without what the last call before a stop took beyond a limit. */
interface Use {
  dollars: number
  seconds: number
}

/**
 * Runs a plan through the ledger, the guard and the admission, and holds every decision against an accountant who keeps
 * his own books.
 */
export async function rehearse(plan: Plan, agents: Agent): Promise<Use> {
  const use = { dollars: 0, seconds: 0 }
  const past = createPast()
  past.run()
  const books = openBooks(plan)
  let position: Position | undefined = start
  for (let at = 0; position && at < mostSteps; at++) {
    const step = codonAt(plan, position)
    if (!step) return use
    enter(books, step)
    const { due } = dueAt(plan, ledgerOf(past.state), position)
    const expected = expectedAt(plan, books, step)
    if (expected === 'leave-loop') {
      expect(due?.at.loop?.id).not.toBe(step.loop?.id)
      leave(books, step)
      position = after(plan, position, { leaveLoop: true })
      continue
    }
    expect(due?.at.runtimeId).toBe(step.runtimeId)
    expect(due?.admission.kind).toBe(expected)
    if (expected === 'fail') return use
    const turn = agents[at % agents.length]
    if (expected === 'start' && turn) await work(plan, { past, books, step, turn, use })
    position = pass(plan, books, step)
  }
  return use
}

interface Work {
  readonly past: Past
  readonly books: Books
  readonly step: PlannedCodonAt
  readonly turn: Agent[number]
  readonly use: Use
}

/** One attempt, or two when the first fails: calls until they are done or the guard speaks. */
async function work(plan: Plan, { past, books, step, turn, use }: Work): Promise<void> {
  for (const isSecond of [false, true]) {
    const clock = createTestClock()
    const guard = createBudgetGuard({ plan, at: step, ledger: ledgerOf(past.state), clock })
    const allowed = inContainers(books, step)
    const dollars = Math.min(allowed.dollars, books.own?.money.left ?? Number.POSITIVE_INFINITY)
    const seconds = Math.min(allowed.seconds, books.own?.time.left ?? Number.POSITIVE_INFINITY)
    const spent = { cost: 0, seconds: 0 }
    let stopped = false
    for (const call of turn.calls) {
      // No call begins once a limit is reached.
      expect(spent.cost < dollars && spent.seconds < seconds).toBe(true)
      spent.seconds += call.seconds
      await clock.advance(call.seconds * 1000)
      const late = guard.tick()
      expect(late?.breach.currency).toBe(spent.seconds >= seconds ? 'seconds' : undefined)
      spent.cost += call.dollars
      const told = guard.usage({ cost: spent.cost, tokens: noTokens, turn: noTokens }) ?? late
      stopped = told !== undefined
      expect(stopped).toBe(spent.cost >= dollars || spent.seconds >= seconds)
      if (stopped) break
    }
    use.dollars += Math.min(spent.cost, dollars)
    use.seconds += Math.min(spent.seconds, seconds)
    const fails = turn.fails && !isSecond && !stopped
    const observed = fails ? 0 : turn.sentinels
    past.attempt(step, {
      ...spent,
      ends: fails ? 'failed' : 'completed',
      ...(observed > 0 && { sentinels: [{ sentinelId: 's', cost: observed }] }),
    })
    pay(books, step, { ...spent, observed })
    if (!fails) return
    // Between two attempts the runner asks again.
    const { due } = dueAt(plan, ledgerOf(past.state), step.position)
    expect(due?.at.runtimeId).toBe(step.runtimeId)
    expect(due?.admission.kind).toBe('start')
  }
}

const noTokens: TokenCounts = { inputTokens: 0, outputTokens: 0, cacheCreationTokens: 0, cacheReadTokens: 0 }
