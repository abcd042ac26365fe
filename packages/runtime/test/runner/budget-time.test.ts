import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import type { Harness, HarnessEvent } from '../../src/harness/index.ts'
import type { Clock } from '../../src/kit/index.ts'
import { codon, loop, plan } from '../budget/budget-plans.ts'
import { allCodons, breachOf, budgeted, spends } from './budget-scene.ts'
import { openScenario, type Scenario } from './scenario.ts'

/** What an agent does and how long that takes; 0: it goes on until it is stopped. */
interface Deed {
  readonly event?: HarnessEvent
  readonly seconds: number
}

const parked: Deed = { event: { type: 'waiting', delayMs: 90_000, reason: 'rate limit' }, seconds: 90 }
const working = (seconds: number): Deed => ({ seconds })
const speaking: Deed = { event: { type: 'text', text: 'Still here.' }, seconds: 0 }

/** An agent that takes its time. */
function slowAgent(clock: () => Clock, deeds: (codonId: string) => readonly Deed[]): Harness {
  return {
    async *start({ codonId }, signal) {
      yield { type: 'session', sessionId: codonId }
      for (const { event, seconds } of deeds(codonId)) {
        if (event) yield event
        const ms = seconds === 0 ? Number.POSITIVE_INFINITY : seconds * 1_000
        if (!signal.aborted)
          await clock()
            .sleep(ms, signal)
            .catch(() => undefined)
      }
      yield { type: 'ended', end: signal.aborted ? killed : { ok: true } }
    },
  }
}

const killed = {
  ok: false,
  exit: { type: 'killed', signal: 'SIGTERM' },
  reason: { type: 'unknown', retriable: false, message: 'The agent was stopped.' },
} as const

type Plan = Parameters<typeof openScenario>[0]['plan']

async function begin(of: Plan, deeds: (codonId: string) => readonly Deed[], dir?: string): Promise<Scenario> {
  let scenario: Scenario | undefined
  const harness = slowAgent(() => scenario?.clock ?? never, deeds)
  const options = { plan: of, effects: { harnessFor: () => harness } }
  scenario = await openScenario(
    dir === undefined ? options : { ...options, from: { dir }, at: '2026-01-02T00:00:00.000Z' },
    dir ?? (await tempDir({ inMemory: true })),
  )
  return scenario
}

const never: Clock = {
  now: () => new Date(0),
  monotonic: () => 0,
  sleep: () => new Promise(() => undefined),
  every: () => () => undefined,
}

/** The disk as a kill would leave it now. */
async function killedNow({ dir, journal }: Scenario): Promise<string> {
  journal.flush()
  const copy = await tempDir({ inMemory: true })
  cpSync(join(dir, 'journal'), join(copy, 'journal'), { recursive: true })
  return copy
}

const started = (run: Scenario, id: string) =>
  run.until('codon.started', ({ data }) => JSON.stringify(data).includes(`"${id}"`))

describe('time in which a provider has the agent parked', () => {
  const of = plan([codon('a'), codon('b')], { budget: { maxTimeSeconds: 10 } })
  const deeds = (id: string) => (id === 'a' ? [parked, working(4)] : [working(0)])

  verifies(
    ['d9/active-time', 'd11/run-parked'],
    'does not count when its codon is over either, and is said',
    async () => {
      const run = await begin(of, deeds)
      await run.until('run.parked')
      await run.clock.advance(94_000)
      await started(run, 'b')
      await run.clock.advance(5_999)
      expect(run.codons()).toEqual(['a:completed', 'b:running'])
      await run.clock.advance(1)
      await run.runner.done
      expect(breachOf(allCodons(run)[1])).toEqual({
        currency: 'seconds',
        limit: 10,
        used: 10,
        scope: 'hank',
      })
      expect(run.told('run.parked')).toEqual([
        { codonId: 'a', until: '2026-01-01T00:01:30.000Z', reason: 'rate limit' },
      ])
      const [summary] = run.told('run.completed')
      expect(summary?.codons.map(({ budget }) => budget)).toMatchObject([
        [{ currency: 'seconds', limit: 10, used: 4 }],
        [{ currency: 'seconds', limit: 10, used: 6 }],
      ])
      await run.close()
    },
  )

  test('does not count for the next server, which reads it in the journal', async () => {
    const first = await begin(of, deeds)
    await first.until('run.parked')
    await first.clock.advance(94_000)
    await started(first, 'b')
    const dir = await killedNow(first)
    await first.close()
    const next = await begin(of, deeds, dir)
    await started(next, 'b')
    await next.clock.advance(5_999)
    expect(next.codons()).toEqual(['b:running'])
    await next.clock.advance(1)
    await next.runner.done
    expect(breachOf(allCodons(next).at(-1))?.used).toBe(10)
    await next.close()
  })
})

test('the time of a codon that a crash cut off counts up to the last thing it did', async () => {
  const of = plan([codon('a', { maxTimeSeconds: 10 })])
  const first = await begin(of, () => [working(3), speaking])
  await started(first, 'a')
  await first.clock.advance(3_000)
  await first.until('assistant.action')
  const dir = await killedNow(first)
  await first.close()
  const next = await begin(of, () => [working(0)], dir)
  await started(next, 'a')
  await next.clock.advance(6_999)
  expect(next.codons()).toEqual(['a:running'])
  await next.clock.advance(1)
  await next.runner.done
  expect(breachOf(allCodons(next).at(-1))?.used).toBe(10)
  await next.close()
})

describe('a loop that ends because nothing is left, without a codon that was stopped', () => {
  const total = { type: 'ended', end: { ok: true, totalDollars: 1 } } as const
  const l = loop('l', 3, { codons: [codon('a'), codon('b')], budget: { maxDollars: 1 } })
  const told = async (of: Plan) => {
    const { run } = await budgeted(of, id => (id === 'a#0' ? [total] : spends(0.1)))
    expect(await run.runner.done).toEqual({ status: 'completed' })
    return run.told('budget.exceeded').map(({ codonId, scope }) => `${codonId} ${scope}`)
  }

  test('is told with the codon of it that was due', async () => {
    expect(await told(plan([l, codon('z')]))).toEqual(['b#0 loop:l'])
  })

  test('is told also when it was the last item', async () => {
    expect(await told(plan([l]))).toEqual(['b#0 loop:l'])
  })
})
