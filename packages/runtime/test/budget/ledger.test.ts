import type { JournaledEvent } from '@weave/protocol'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { activeMs } from '../../src/budget/active-time.ts'
import { createTimeBook, ledgerOf, mayStart } from '../../src/budget/index.ts'
import { codon, loop, plan, stepOf } from './budget-plans.ts'
import { createPast } from './past.ts'

const hank = plan([codon('a'), loop('l', 3, { codons: [codon('b'), codon('c')] }), codon('d')])
const step = (id: string) => stepOf(hank, id)

describe('the ledger', () => {
  verifies(
    ['money/lost-dollars'],
    'counts what was lost with machines against the dollars of the hank, and of no codon',
    () => {
      const limited = plan([codon('a'), codon('b')], { budget: { maxDollars: 10 } })
      const past = createPast()
      past.run()
      past.attempt(stepOf(limited, 'a'), { cost: 4 })
      const { total, items, lostDollars } = ledgerOf(past.state, { lostDollars: 5 })
      expect([total.dollars, items.get('a')?.dollars, lostDollars]).toEqual([9, 4, 5])
      const kindWith = (lost: number) =>
        mayStart(limited, ledgerOf(past.state, { lostDollars: lost }), stepOf(limited, 'b')).kind
      expect([kindWith(5.9), kindWith(6)]).toEqual(['start', 'complete'])
    },
  )

  verifies(['leash/timers'], 'leaves out the time in which agents stood still for want of the engine', () => {
    const book = createTimeBook()
    const waiting = (timestamp: string, more: object): void =>
      book.heard({ type: 'fleet.waiting', timestamp, data: { for: 'engine', ...more } } as JournaledEvent)
    waiting('2026-01-01T00:01:00.000Z', {})
    waiting('2026-01-01T00:05:00.010Z', { until: '2026-01-01T00:05:00.000Z' })
    const from = Date.parse('2026-01-01T00:00:00.000Z')
    expect(activeMs({ from, until: from + 600_000 }, book.notes().parked ?? [])).toBe(360_000)
  })

  test('of a new execution is empty', () => {
    const { total, sentinelDollars, items } = ledgerOf(createPast().state)
    expect(total).toMatchObject({ dollars: 0, seconds: 0, costUnknown: false })
    expect(sentinelDollars).toBe(0)
    expect(items.size).toBe(0)
  })

  verifies(
    ['2.6/loop-budget-over-iterations'],
    'adds up a loop and each of its codons over all iterations',
    () => {
      const past = createPast()
      past.run()
      past.attempt(step('a'), { cost: 1, seconds: 5, tokens: { inputTokens: 7, outputTokens: 2 } })
      past.attempt(step('b#0'), { cost: 2, seconds: 10 })
      past.attempt(step('c#0'), { cost: 4, seconds: 20 })
      past.attempt(step('b#1'), { cost: 8, seconds: 40 })
      const { items, inLoops, total } = ledgerOf(past.state)
      expect(items.get('a')).toMatchObject({
        dollars: 1,
        seconds: 5,
        tokens: { inputTokens: 7, outputTokens: 2 },
      })
      expect(items.get('l')).toMatchObject({ dollars: 14, seconds: 70 })
      expect(inLoops.get('l')?.get('b')).toMatchObject({ dollars: 10, seconds: 50 })
      expect(inLoops.get('l')?.get('c')).toMatchObject({ dollars: 4, seconds: 20 })
      expect(total).toMatchObject({ dollars: 15, seconds: 75 })
    },
  )

  verifies(
    ['d9/ledger-rollback', 'd9/ledger-resume'],
    'keeps what was spent before a retry, a crash, a resume and a rollback',
    () => {
      const past = createPast()
      past.run()
      past.attempt(step('a'), { cost: 1, ends: 'failed' })
      past.attempt(step('a'), { cost: 2 })
      past.crash(step('b#0'), { cost: 4, seconds: 3, noticed: 1_000 })
      past.run()
      past.attempt(step('b#0'), { cost: 8 })
      past.close()
      past.run()
      past.attempt(step('a'), { cost: 16 })
      const { items, total } = ledgerOf(past.state)
      expect(items.get('a')?.dollars).toBe(19)
      expect(items.get('l')?.dollars).toBe(12)
      expect(total.dollars).toBe(31)
      expect(total.dollars).toBe(past.state.totalCost)
    },
  )

  test('counts sentinels in the total alone, and apart', () => {
    const past = createPast()
    past.run()
    past.attempt(step('a'), {
      cost: 1,
      sentinels: [
        { sentinelId: 's', cost: 2 },
        { sentinelId: 't', cost: 4 },
      ],
    })
    const { items, total, sentinelDollars } = ledgerOf(past.state)
    expect(items.get('a')?.dollars).toBe(1)
    expect(sentinelDollars).toBe(6)
    expect(total.dollars).toBe(7)
  })

  test('says where a price was not known', () => {
    const past = createPast()
    past.run()
    past.attempt(step('a'), { cost: 1 })
    past.attempt(step('b#0'), { costUnknown: true })
    const { items, total } = ledgerOf(past.state)
    expect(items.get('a')?.costUnknown).toBe(false)
    expect(items.get('l')).toMatchObject({ dollars: 0, costUnknown: true })
    expect(total).toMatchObject({ dollars: 1, costUnknown: true })
    past.attempt(step('d'), { sentinels: [{ sentinelId: 's', cost: 0, costUnknown: true }] })
    expect(ledgerOf(past.state).items.get('d')?.costUnknown).toBe(false)
  })

  test('takes codons that are named like an iteration for what they are', () => {
    const odd = plan([codon('b#0'), loop('l', 1, { codons: [codon('b')] })])
    const inLoop = stepOf(odd, 'b')
    const past = createPast()
    past.run()
    past.attempt(stepOf(odd, 'b#0'), { cost: 1 })
    past.attempt(inLoop, { cost: 2 })
    const { items, inLoops } = ledgerOf(past.state)
    expect(items.get('b#0')?.dollars).toBe(1)
    expect(items.get('l')?.dollars).toBe(2)
    expect(inLoops.get('l')?.get('b')?.dollars).toBe(2)
  })
})

describe('a ledger that is asked again and again', () => {
  const long = plan([loop('l', 200, { codons: [codon('b')] })])
  const at = (iteration: number) => stepOf(long, `b#${iteration}`)
  const deeds = fc.array(
    fc.record({
      does: fc.constantFrom('works', 'works', 'works', 'works', 'fails', 'crashes', 'is parked', 'is billed'),
      cost: fc.integer({ min: 0, max: 64 }).map(parts => parts / 16),
      seconds: fc.integer({ min: 0, max: 60 }),
      back: fc.integer({ min: 0, max: 40 }),
    }),
    { minLength: 30, maxLength: 90 },
  )

  test('says the same as one that is asked for the first time', () => {
    fc.assert(
      fc.property(deeds, story => {
        const past = createPast()
        past.run()
        const parked: { from: number; until: number }[] = []
        const lastActivity = new Map<string, string>()
        let first = 0
        let next = 0
        for (const { does, cost, seconds, back } of story) {
          const notes = { parked, lastActivity, lostDollars: 1 }
          if (does === 'works')
            past.attempt(at(next++), { cost, seconds, sentinels: [{ sentinelId: 's', cost }] })
          else if (does === 'fails') past.attempt(at(next), { cost, seconds, ends: 'failed' })
          else if (does === 'is parked') {
            past.wait(seconds)
            parked.push({ from: past.now - (back + seconds) * 1000, until: past.now })
          } else if (does === 'crashes') {
            const seen = new Date(past.now + 1_000).toISOString()
            past.crash(at(next), { cost, seconds, noticed: 9 })
            if (back > 20) lastActivity.set(past.state.currentRunId ?? '', seen)
            past.run()
            first = next
          } else if (next - back > first) past.bill(at(next - back - 1), cost)
          // Records that nobody has seen before have no sums yet.
          expect(ledgerOf(past.state, notes)).toEqual(ledgerOf(structuredClone(past.state), notes))
        }
      }),
      { numRuns: 60 },
    )
  })
})

describe('what counts against the own caps of a codon', () => {
  const underway = (past: ReturnType<typeof createPast>, id: string) =>
    ledgerOf(past.state).underway.get(id)?.dollars ?? 0

  test('is every attempt until it is done, through retries, crashes and resumes', () => {
    const past = createPast()
    past.run()
    past.attempt(step('a'), { cost: 1, ends: 'failed' })
    past.crash(step('a'), { cost: 2, seconds: 1, noticed: 9 })
    past.run()
    past.attempt(step('a'), { cost: 4, ends: 'failed' })
    past.close()
    past.run()
    expect(underway(past, 'a')).toBe(7)
    past.attempt(step('a'), { cost: 8 })
    expect(underway(past, 'a')).toBe(0)
  })

  verifies(
    ['2.6/codon-caps-per-iteration', '8/budget-caps-per-iteration'],
    'begins anew with each iteration',
    () => {
      const past = createPast()
      past.run()
      past.attempt(step('b#0'), { cost: 1, ends: 'failed' })
      expect(underway(past, 'b#0')).toBe(1)
      expect(underway(past, 'b#1')).toBe(0)
    },
  )

  test('begins anew when a person has it done once more: after an end, a skip, a stop by a budget', () => {
    const past = createPast()
    past.run()
    past.attempt(step('a'), { cost: 1 })
    past.attempt(step('b#0'), { cost: 1, ends: 'failed' })
    past.attempt(step('b#0'), { cost: 1, ends: 'skipped' })
    const budgetExceeded = { currency: 'dollars', limit: 1, used: 1, scope: 'codon' } as const
    past.attempt(step('d'), { cost: 1, ends: 'failed', budgetExceeded })
    expect(['a', 'b#0', 'd'].map(id => underway(past, id))).toEqual([0, 0, 0])
    expect(ledgerOf(past.state).total.dollars).toBe(4)
  })
})

describe('time', () => {
  test('is that of codons, not of what lies between them', () => {
    const past = createPast()
    past.run()
    past.wait(100)
    past.attempt(step('a'), { seconds: 5, ends: 'failed' })
    past.wait(3_600)
    past.attempt(step('a'), { seconds: 7 })
    past.wait(86_400)
    past.close()
    past.run()
    past.attempt(step('d'), { seconds: 11 })
    expect(ledgerOf(past.state).total.seconds).toBe(23)
  })

  test('of a codon that a crash cut off lasts until the last sign of the run, never until somebody noticed', () => {
    const past = createPast()
    const runId = past.run()
    past.attempt(step('a'), { seconds: 5 })
    const began = past.now
    past.crash(step('b#0'), { cost: 1, seconds: 30, noticed: 86_400 })
    const at = (seconds: number) => new Map([[runId, new Date(began + seconds * 1000).toISOString()]])
    expect(ledgerOf(past.state).total.seconds).toBe(5)
    expect(ledgerOf(past.state, { lastActivity: at(29) }).total.seconds).toBe(34)
    expect(ledgerOf(past.state, { lastActivity: at(-2) }).total.seconds).toBe(5)
    expect(ledgerOf(past.state, { lastActivity: at(999_999) }).total.seconds).toBe(5 + 30 + 86_400)
  })

  test('of a codon that runs counts when the present is told', () => {
    const past = createPast()
    past.run()
    past.attempt(step('a'), { seconds: 5 })
    past.begin(step('b#0'), { cost: 2 })
    past.wait(30)
    expect(ledgerOf(past.state).total).toMatchObject({ dollars: 2, seconds: 5 })
    expect(ledgerOf(past.state, { now: past.now }).items.get('l')).toMatchObject({ dollars: 2, seconds: 30 })
    expect(ledgerOf(past.state, { now: past.now - 60_000 }).total.seconds).toBe(5)
  })

  test('of a codon that had ended before the crash is known', () => {
    const past = createPast()
    past.run()
    past.attempt(step('a'), { seconds: 5 })
    past.wait(3_600)
    past.crashBetween()
    expect(ledgerOf(past.state).total.seconds).toBe(5)
  })

  test('does not count while the run was parked', () => {
    const past = createPast()
    past.run()
    const began = past.now
    past.attempt(step('a'), { seconds: 100 })
    past.attempt(step('b#0'), { seconds: 100 })
    const parked = [{ from: began + 90_000, until: began + 130_000 }]
    const { items, total } = ledgerOf(past.state, { parked })
    expect(items.get('a')?.seconds).toBe(90)
    expect(items.get('l')?.seconds).toBe(70)
    expect(total.seconds).toBe(160)
  })

  test('is what no wait covers, however waits lie and overlap', () => {
    const moment = fc.integer({ min: 0, max: 60 })
    const stretch = fc
      .tuple(moment, moment)
      .map(([a, b]) => ({ from: Math.min(a, b), until: Math.max(a, b) }))
    fc.assert(
      fc.property(stretch, fc.array(stretch, { maxLength: 5 }), (whole, waits) => {
        const ticks = Array.from({ length: whole.until - whole.from }, (_, at) => whole.from + at)
        const free = ticks.filter(tick => !waits.some(({ from, until }) => from <= tick && tick < until))
        expect(activeMs(whole, waits)).toBe(free.length)
      }),
    )
  })
})
