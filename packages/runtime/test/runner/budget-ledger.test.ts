import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { isProof, tally } from '../../../../test/support/proof.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { ledgerOf } from '../../src/budget/index.ts'
import type { HarnessEvent } from '../../src/harness/index.ts'
import type { Plan } from '../../src/plan/index.ts'
import { amount, budgetedPlans } from '../budget/arbitrary-plans.ts'
import { codon, loop, plan } from '../budget/budget-plans.ts'
import { allCodons, breachOf, budgeted, createAgent, type Deeds, spends, usage } from './budget-scene.ts'
import { placeOf } from './model-plan.ts'
import { openScenario, startScenario } from './scenario.ts'

const dollarsOf = (reported: readonly HarnessEvent[]): number =>
  reported.reduce((sum, event) => sum + (event.type === 'usage' ? (event.dollars ?? 0) : 0), 0)

describe('the ledger', () => {
  const of = plan(
    [
      codon('a', { maxDollars: 2 }),
      loop('l', 3, { codons: [codon('b'), codon('c')], budget: { maxDollars: 3 } }),
      codon('z'),
    ],
    { budget: { maxDollars: 6 } },
  )
  const total = { type: 'ended', end: { ok: true, totalDollars: 0.75 } } as const
  const deeds: Deeds = id => (id.startsWith('c') ? [...spends(0.25, 0.25), total] : spends(0.5, 0.25, 0.25))
  const mostPerCall = 0.5
  const segment = 'events-000000000001.jsonl'

  /** What a kill after so many lines, and some bytes of the next one, leaves on the disk. */
  async function killedAfter(lines: readonly string[], count: number): Promise<string> {
    const dir = await tempDir({ inMemory: true })
    mkdirSync(join(dir, 'journal', 'blobs'), { recursive: true })
    const torn = (lines[count] ?? '').slice(0, 40)
    writeFileSync(join(dir, 'journal', segment), lines.slice(0, count).join('') + torn)
    return dir
  }

  verifies(
    ['d9/ledger-crash', 'd9/ledger-resume', 'safety/I9'],
    'is the same after a kill at every entry: nothing is lost, nothing counted twice, no limit passed',
    async () => {
      const dir = await tempDir({ inMemory: true })
      const harness = createAgent(deeds)
      const first = await openScenario({ plan: of, effects: { harnessFor: () => harness } }, dir)
      expect(await first.runner.done).toEqual({ status: 'completed' })
      await first.close()
      const lines = readFileSync(join(dir, 'journal', segment), 'utf8').split(/(?<=\n)/)
      const entries = lines.flatMap((line, at) =>
        /"(CostsUpdated|CodonFinalCostSet)"/.test(line) ? [at] : [],
      )
      expect(entries.length).toBeGreaterThan(12)
      for (const at of entries) {
        const spent: unknown = JSON.parse(lines[at] ?? '').data.resultingState.totalCost
        const reported: HarnessEvent[] = []
        const agent = createAgent(
          id => deeds(id, 0).filter(deed => deed !== total),
          event => reported.push(event),
        )
        const next = await killedAfter(lines, at + 1)
        const again = await startScenario({
          plan: of,
          from: { dir: next },
          effects: { harnessFor: () => agent },
        })
        expect(await again.runner.done).toEqual({ status: 'completed' })
        expect(again.recorder.state.totalCost).toBeCloseTo(Number(spent) + dollarsOf(reported), 9)
        expect(ledgerOf(again.recorder.state).total.dollars).toBeCloseTo(again.recorder.state.totalCost, 9)
        expect(again.recorder.state.totalCost).toBeLessThan(6 + mostPerCall)
        const inLoop = ledgerOf(again.recorder.state).items.get('l')?.dollars ?? 0
        expect(inLoop).toBeLessThan(3 + mostPerCall)
        await again.close()
      }
    },
    60_000,
  )

  test('keeps what a rollback undoes: that is spent, and counts', async () => {
    const { run, reported } = await budgeted(
      plan([codon('a'), codon('b')], { budget: { maxDollars: 2.5 } }),
      () => spends(0.5, 0.5),
      { headless: false },
    )
    run.runner.clientArrived()
    await run.untilIdle('all-codons-completed')
    await run.send('rollback.toCodon', { codonId: 'a', checkpointType: 'start', autoRestart: true })
    await run.untilIdle('all-codons-completed', 1)
    const costs = allCodons(run).map(({ codonId, cost }) => `${codonId} ${cost}`)
    expect(costs).toEqual(['a 1', 'b 1', 'a 0.5', 'b 0'])
    expect(allCodons(run).map(record => breachOf(record)?.used)).toEqual([undefined, undefined, 2.5, 2.5])
    expect(ledgerOf(run.recorder.state).total.dollars).toBeCloseTo(dollarsOf(reported), 9)
  })

  test('counts a message once, however often and in which order it is reported', async () => {
    const message = (id: number, parts: number): readonly HarnessEvent[] =>
      Array.from({ length: parts }, (_, at) => {
        const whole = usage(`m${id}`, { output: 10 * (at + 1), dollars: 0.125 * (at + 1) })
        return whole.type === 'usage' && at < parts - 1 ? { ...whole, isPartial: true } : whole
      })
    const stories = fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 4 }).chain(parts => {
      const all = parts.flatMap((count, id) => message(id, count))
      const dollars = parts.reduce((sum, count) => sum + 0.125 * count, 0)
      return fc
        .shuffledSubarray([...all, ...all], { minLength: all.length * 2 })
        .map(reports => ({ reports, dollars, parts }))
    })
    await fc.assert(
      fc.asyncProperty(stories, async ({ reports, dollars, parts }) => {
        const harness = createAgent(() => reports)
        const dir = await tempDir({ inMemory: true })
        const run = await openScenario(
          { plan: plan([codon('a')]), effects: { harnessFor: () => harness } },
          dir,
        )
        await run.runner.done
        expect(allCodons(run)[0]).toMatchObject({ cost: dollars, assistantMessageCount: parts.length })
        await run.close()
      }),
      { numRuns: 25 },
    )
  })
})

/** Who has spent how much, as the agent saw it. */
function createWitness(of: Plan) {
  const ceiling = Math.min(
    of.budget?.maxDollars ?? Number.POSITIVE_INFINITY,
    of.ceilings?.maxDollars?.value ?? Number.POSITIVE_INFINITY,
  )
  const loops = new Map<string, number>()
  let total = 0
  let attempt = 0

  const expectRoom = (codonId: string): void => {
    const { codon: planned, loop: around } = placeOf(of, codonId) ?? {}
    expect(total).toBeLessThan(ceiling)
    expect(attempt).toBeLessThan(planned?.budget?.maxDollars ?? Number.POSITIVE_INFINITY)
    if (around)
      expect(loops.get(around.id) ?? 0).toBeLessThan(around.budget?.maxDollars ?? Number.POSITIVE_INFINITY)
  }

  return {
    /** A codon begins: there must be something left for it. */
    begins(codonId: string): void {
      attempt = 0
      expectRoom(codonId)
    },
    /** A call is made: nothing may have been used up before it. */
    spends(codonId: string, dollars: number): void {
      expectRoom(codonId)
      total += dollars
      attempt += dollars
      const around = placeOf(of, codonId)?.loop?.id
      if (around !== undefined) loops.set(around, (loops.get(around) ?? 0) + dollars)
    },
    total: () => total,
  }
}

const overflow: readonly HarnessEvent[] = [
  { type: 'context-full' },
  {
    type: 'ended',
    end: {
      ok: false,
      exit: { type: 'error', code: 1 },
      reason: { type: 'api-error', retriable: false, message: 'The context is full.' },
    },
  },
]

describe('any plan with budgets, any agent', () => {
  const agents = fc.array(
    fc.array(
      amount.map(each => each / 4),
      { maxLength: 4 },
    ),
    { minLength: 1, maxLength: 9 },
  )

  /** Plays one hank. Returns what its agents have seen to be wrong. */
  async function play(of: Plan, calls: readonly (readonly number[])[]): Promise<void> {
    const witness = createWitness(of)
    const wrong: unknown[] = []
    const see = (look: () => void): void => {
      try {
        look()
      } catch (error) {
        wrong.push(error)
      }
    }
    let at = 0
    let now = ''
    const harness = createAgent(
      codonId => {
        now = codonId
        see(() => witness.begins(codonId))
        const { loop: around, iteration = 0 } = placeOf(of, codonId) ?? {}
        const isFull = around?.limit === null && iteration >= 2
        // A budget of the codon may end each of its attempts before the context is full: then the loop would never end.
        if (isFull && iteration >= 4) return overflow
        return [...spends(...(calls[at++ % calls.length] ?? [])), ...(isFull ? overflow : [])]
      },
      event => {
        if (event.type === 'usage') see(() => witness.spends(now, event.dollars ?? 0))
      },
    )
    const dir = await tempDir({ inMemory: true })
    const run = await openScenario({ plan: of, effects: { harnessFor: () => harness } }, dir)
    await run.runner.done
    expect(wrong).toEqual([])
    expect(run.recorder.state.totalCost).toBeCloseTo(witness.total(), 9)
    expect(ledgerOf(run.recorder.state).total.dollars).toBeCloseTo(witness.total(), 9)
    await run.close()
  }

  verifies(
    ['safety/I9'],
    'never pays more than the one call in flight beyond a limit, and starts nothing for which nothing is left',
    async () => {
      const numRuns = isProof ? 200 : 30
      await fc.assert(fc.asyncProperty(budgetedPlans, agents, play), { numRuns })
      tally('random plans with budgets', numRuns)
    },
    60_000,
  )
})
