import type { BudgetBreach } from '@weave/protocol'
import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import type { Plan } from '../../src/plan/index.ts'
import { codon, loop, plan } from '../budget/budget-plans.ts'
import { allCodons, breachOf, budgeted, called, type Deed, fails, spends, usage } from './budget-scene.ts'

type Policy = 'complete' | 'fail'

/** One limit of each currency at each level that can have it, and an agent that reaches it in its second call. */
interface Limit {
  readonly breach: BudgetBreach
  readonly plan: (onExceeded: Policy) => Plan
  readonly deeds: readonly Deed[]
  /** Reached by time alone. */
  readonly seconds?: number
}

const dollars = spends(0.6, 0.65, 0.6)
const money = (scope: string): BudgetBreach => ({ currency: 'dollars', limit: 1, used: 1.25, scope })
const time = (scope: string): BudgetBreach => ({ currency: 'seconds', limit: 5, used: 5, scope })
const one = [codon('a')]

const limits: Readonly<Record<string, Limit>> = {
  'dollars of a codon': {
    breach: money('codon'),
    plan: onExceeded => plan([codon('a', { maxDollars: 1, onExceeded })]),
    deeds: dollars,
  },
  'dollars of a loop': {
    breach: money('loop:l'),
    plan: onExceeded => plan([loop('l', 1, { codons: one, budget: { maxDollars: 1, onExceeded } })]),
    deeds: dollars,
  },
  'dollars of the hank': {
    breach: money('hank'),
    plan: onExceeded => plan(one, { budget: { maxDollars: 1, onExceeded } }),
    deeds: dollars,
  },
  'dollars of the command line': {
    breach: money('--max-cost'),
    plan: onExceeded =>
      plan(one, {
        budget: { maxDollars: 2, onExceeded },
        ceilings: { maxDollars: { value: 1, origin: '--max-cost' } },
      }),
    deeds: dollars,
  },
  'output tokens of a codon': {
    breach: { currency: 'output-tokens', limit: 100, used: 120, scope: 'codon' },
    plan: onExceeded => plan([codon('a', { maxOutputTokens: 100, onExceeded })]),
    deeds: ['m1', 'm2', 'm3'].map(id => usage(id, { output: 60, dollars: 0 })),
  },
  'context tokens of a codon': {
    breach: { currency: 'context-tokens', limit: 1_000, used: 1_040, scope: 'codon' },
    plan: onExceeded => plan([codon('a', { maxContextTokens: 1_000, onExceeded })]),
    deeds: [640, 1_000, 1_500].map((input, at) => usage(`m${at}`, { input, output: 40, dollars: 0 })),
  },
  'seconds of a codon': {
    breach: time('codon'),
    plan: onExceeded => plan([codon('a', { maxTimeSeconds: 5, onExceeded })]),
    deeds: ['hang'],
    seconds: 5,
  },
  'seconds of a loop': {
    breach: time('loop:l'),
    plan: onExceeded => plan([loop('l', 1, { codons: one, budget: { maxTimeSeconds: 5, onExceeded } })]),
    deeds: ['hang'],
    seconds: 5,
  },
  'seconds of the hank': {
    breach: time('hank'),
    plan: onExceeded => plan(one, { budget: { maxTimeSeconds: 5, onExceeded } }),
    deeds: ['hang'],
    seconds: 5,
  },
  'seconds of the command line': {
    breach: time('--max-time'),
    plan: onExceeded =>
      plan(one, {
        budget: { onExceeded },
        ceilings: { maxTimeSeconds: { value: 5, origin: '--max-time' } },
      }),
    deeds: ['hang'],
    seconds: 5,
  },
}

/** Runs to the end; until the last second nothing happens. */
async function reach({ plan: of, deeds, seconds = 0 }: Limit, onExceeded: Policy) {
  const scene = await budgeted(of(onExceeded), () => deeds)
  const { run } = scene
  if (seconds > 0) {
    await run.until('codon.started')
    await run.clock.advance(seconds * 1_000 - 1)
    expect(allCodons(run).map(({ status }) => status)).toEqual(['running'])
    await run.clock.advance(1)
  }
  const end = await run.runner.done
  return { ...scene, end, record: allCodons(run)[0] }
}

describe.each(Object.entries(limits))('at a limit, %s,', (_, limit) => {
  verifies(
    [
      '3/budget-complete',
      '3/budget-exceeded-event',
      '2.6/max-dollars',
      '2.6/max-time-seconds',
      '2.6/max-output-tokens',
      '2.6/max-context-tokens',
      'd9/complete-checkpoint',
      'd9/complete-status',
      'd9/checked-at-usage',
      'd9/checked-every-second',
      'd9/breach-names',
      'd11/budget-exceeded',
    ],
    'complete ends the agent and the codon is done',
    async () => {
      const { run, end, record, reported } = await reach(limit, 'complete')
      expect(end).toEqual({ status: 'completed' })
      expect(record).toMatchObject({ status: 'completed', exitStatus: { type: 'success' } })
      expect(breachOf(record)).toEqual(limit.breach)
      expect(Object.keys(record?.checkpoints ?? {})).toEqual(['completed'])
      const { codonId = '' } = record ?? {}
      expect(run.told('budget.exceeded')).toEqual([{ ...limit.breach, codonId, onExceeded: 'complete' }])
      expect(run.told('codon.completed')).toMatchObject([{ success: true, exitStatus: { type: 'success' } }])
      expect(reported).toHaveLength(limit.seconds ? 0 : 2)
    },
  )

  verifies(
    ['3/budget-fail', 'd8/final-budget', 'd9/fail-reason'],
    'fail ends the agent and fails the codon and the run',
    async () => {
      const { run, end, record, reported } = await reach(limit, 'fail')
      expect(end.status).toBe('failed')
      expect(record).toMatchObject({
        status: 'failed',
        exitStatus: { type: 'killed', signal: 'SIGTERM' },
        failureReason: {
          type: 'unknown',
          retriable: false,
          message: expect.stringMatching(/^Budget exceeded: /),
        },
      })
      expect(breachOf(record)).toEqual(limit.breach)
      expect(Object.keys(record?.checkpoints ?? {})).toEqual(['error'])
      expect(run.told('budget.exceeded')).toHaveLength(1)
      expect(run.recorder.state.runs.map(({ status }) => status)).toEqual(['failed'])
      expect(reported).toHaveLength(limit.seconds ? 0 : 2)
    },
  )
})

describe('the policy', () => {
  const at = (codonSays?: Policy, loopSays?: Policy, hankSays?: Policy) =>
    plan(
      [
        loop('l', 1, {
          codons: [codon('a', { maxDollars: 1, ...(codonSays && { onExceeded: codonSays }) })],
          ...(loopSays && { budget: { onExceeded: loopSays } }),
        }),
      ],
      hankSays ? { budget: { onExceeded: hankSays } } : {},
    )
  const statusOf = async (of: Plan) => {
    const { run } = await budgeted(of, () => dollars)
    await run.runner.done
    return allCodons(run)[0]?.status
  }

  verifies(
    [
      'd9/on-exceeded-nearest',
      'd9/on-exceeded-default',
      '2.6/on-exceeded-default',
      '2.6/on-exceeded-inherited',
      '2.6/on-exceeded-codon-wins',
    ],
    'is the nearest word, and complete when there is none',
    async () => {
      expect(await statusOf(at())).toBe('completed')
      expect(await statusOf(at(undefined, undefined, 'fail'))).toBe('failed')
      expect(await statusOf(at(undefined, 'complete', 'fail'))).toBe('completed')
      expect(await statusOf(at(undefined, 'fail', 'complete'))).toBe('failed')
      expect(await statusOf(at('complete', 'fail', 'fail'))).toBe('completed')
      expect(await statusOf(at('fail', 'complete', 'complete'))).toBe('failed')
    },
  )

  test('fail is final: no retry, and nobody ignores it silently', async () => {
    const limited = codon('a', { maxDollars: 1, onExceeded: 'fail' }, { onFailure: 'retry' })
    const { run } = await budgeted(plan([limited]), () => dollars)
    expect((await run.runner.done).status).toBe('failed')
    expect(called(run)).toEqual(['a'])
    const ignored = codon('a', { maxDollars: 1, onExceeded: 'fail' }, { onFailure: 'ignore' })
    const { run: other } = await budgeted(plan([ignored, codon('b')]), id => (id === 'a' ? dollars : []))
    expect((await other.runner.done).status).toBe('completed')
    expect(other.codons()).toEqual(['a:failed', 'b:completed'])
  })

  verifies(['2.6/caps-default'], 'is never asked for without a limit', async () => {
    const huge = [usage('m', { dollars: 1e9, output: 1e9, input: 1e9 }), 'hang'] as const
    const { run } = await budgeted(plan([codon('a', undefined, { idleTimeoutMs: 1e9 })]), () => huge)
    await run.until('token.usage')
    await run.clock.advance(1e7)
    expect(run.codons()).toEqual(['a:running'])
  })
})

describe('after a limit has completed the agent', () => {
  const stopsAt = codon('a', { maxDollars: 1 }, { archiveOnSuccess: ['*.log'] })

  test('outputs are copied, files archived, and the plan goes on', async () => {
    const done: string[] = []
    const { run } = await budgeted(plan([stopsAt, codon('b')]), id => (id === 'a' ? dollars : []), {
      effects: {
        copyOutputs: async ({ runtimeId }, { signal }) => {
          done.push(`outputs ${runtimeId} ${signal.aborted}`)
          return { ok: true, files: [] }
        },
        archive: async owner => {
          done.push(`archive ${owner}`)
          return { ok: true, files: ['x.log'] }
        },
      },
    })
    expect(await run.runner.done).toEqual({ status: 'completed' })
    expect(done).toEqual(['outputs a false', 'archive a', 'outputs b false'])
    expect(run.told('archive.completed')).toEqual([{ ownerId: 'a', files: ['x.log'] }])
  })

  test.each([
    ['codon.skip', 'skipped'],
    ['codon.forceStop', 'failed'],
    ['server.shutdown', 'failed'],
    ['rollback.toCheckpoint', 'failed'],
  ] as const)('%s still stops the copying of outputs', async (type, status) => {
    const { run, first } = await budgeted(plan([stopsAt]), () => dollars, {
      headless: false,
      effects: {
        copyOutputs: (_, { signal }) =>
          new Promise(resolve => {
            const stop = () => resolve({ ok: false, message: 'stopped' })
            signal.addEventListener('abort', stop, { once: true })
          }),
      },
    })
    run.runner.clientArrived()
    await run.until('state.transition', ({ data }) => JSON.stringify(data).includes('completing-sentinels'))
    expect(await run.send(type, type === 'rollback.toCheckpoint' ? { checkpointSha: first } : {})).toEqual({
      ok: true,
    })
    await run.until('codon.completed')
    expect(allCodons(run)[0]?.status).toBe(status)
  })

  test.each(['copyOutputs', 'archive'] as const)('a failure in %s fails the run all the same', async port => {
    const { run } = await budgeted(plan([stopsAt, codon('b')]), () => dollars, {
      effects: { [port]: async () => ({ ok: false, message: 'The disk is full.' }) },
    })
    expect(await run.runner.done).toEqual({ status: 'failed', reason: 'a: The disk is full.' })
    expect(run.codons()).toEqual(['a:failed'])
    expect(breachOf(allCodons(run)[0])).toEqual(money('codon'))
  })
})

describe('what counts', () => {
  test('a retry draws on what the attempts before it have left', async () => {
    const retry = { maxAttempts: 3, delayMs: 0, maxDelayMs: 0 }
    const { run } = await budgeted(
      plan([codon('a', { maxDollars: 1 }, { onFailure: 'retry', retry })]),
      (_, call) => (call === 0 ? [...spends(0.7), fails(true)] : spends(0.2, 0.2, 0.2)),
    )
    await run.until('codon.retrying')
    await run.clock.advance(1)
    await run.runner.done
    expect(allCodons(run).map(({ cost }) => cost)).toEqual([0.7, 0.4])
    expect(breachOf(allCodons(run)[1])).toEqual({ currency: 'dollars', limit: 1, used: 1.1, scope: 'codon' })
  })

  test('time that a provider has the agent parked does not', async () => {
    const waits = { type: 'waiting', delayMs: 90_000, reason: 'rate limit' } as const
    const a = codon('a', { maxTimeSeconds: 10 }, { idleTimeoutMs: 1e9 })
    const { run } = await budgeted(plan([a]), () => [waits, 'hang'])
    await run.until('info')
    await run.clock.advance(99_999)
    expect(run.codons()).toEqual(['a:running'])
    await run.clock.advance(1)
    await run.runner.done
    expect(breachOf(allCodons(run)[0])).toEqual({ currency: 'seconds', limit: 10, used: 10, scope: 'codon' })
  })

  verifies(['d9/active-time'], 'time between attempts and while the server is idle does not', async () => {
    const retry = { maxAttempts: 2, delayMs: 60_000, maxDelayMs: 60_000 }
    const a = codon('a', undefined, { onFailure: 'retry', retry })
    const deeds = (id: string, call: number) =>
      id === 'a' && call === 0 ? [fails(true)] : id === 'b' ? ['hang' as const] : []
    const { run } = await budgeted(plan([a, codon('b')], { budget: { maxTimeSeconds: 5 } }), deeds, {
      headless: false,
      autostart: false,
    })
    await run.clock.advance(60_000)
    await run.send('codon.next')
    await run.until('codon.retrying')
    await run.clock.advance(60_000)
    await run.untilIdle('codon-completed')
    await run.clock.advance(60_000)
    await run.send('codon.next')
    await run.until('codon.started', ({ data }) => JSON.stringify(data).includes('"b"'))
    await run.clock.advance(4_999)
    expect(run.codons().at(-1)).toBe('b:running')
    await run.clock.advance(1)
    await run.until('codon.completed', ({ data }) => JSON.stringify(data).includes('"b"'))
    expect(breachOf(allCodons(run).at(-1))).toEqual(time('hank'))
  })

  verifies(
    ['d9/unknown-price-shown'],
    'money whose price nobody knows is said to be unknown, and no dollar limit stops it',
    async () => {
      const deeds = [usage('m1', { output: 50 }), usage('m2', { output: 60 }), usage('m3', { output: 70 })]
      const { run } = await budgeted(
        plan([codon('a', { maxDollars: 0.01, maxOutputTokens: 100 })]),
        () => deeds,
      )
      await run.runner.done
      expect(allCodons(run)[0]).toMatchObject({ cost: 0, costUnknown: true, status: 'completed' })
      expect(breachOf(allCodons(run)[0])).toMatchObject({ currency: 'output-tokens', used: 110 })
      expect(run.told('run.completed')[0]).toMatchObject({ costUnknown: true })
    },
  )

  verifies(['d9/final-cost'], 'the harness has the last word, in the ledger too', async () => {
    const total = { type: 'ended', end: { ok: true, totalDollars: 0.9 } } as const
    const { run } = await budgeted(plan([codon('a'), codon('b')], { budget: { maxDollars: 1 } }), id =>
      id === 'a' ? [...spends(0.3, 0.3), total] : spends(0.05, 0.05, 0.05),
    )
    await run.runner.done
    expect(allCodons(run).map(({ cost }) => cost)).toEqual([0.9, 0.1])
    expect(breachOf(allCodons(run)[1])).toEqual({ currency: 'dollars', limit: 1, used: 1, scope: 'hank' })
  })

  verifies(
    ['d11/run-completed-budgets'],
    'the summary of the run has for each codon its limit against its use',
    async () => {
      const { run } = await budgeted(
        plan([codon('a', { maxDollars: 1, maxOutputTokens: 50 }), codon('b')], { budget: { maxDollars: 5 } }),
        id => (id === 'a' ? spends(0.25, 0.25) : spends(2)),
      )
      await run.runner.done
      const [summary] = run.told('run.completed')
      expect(summary).toMatchObject({ status: 'completed', totalCost: 2.5 })
      expect(summary?.codons.map(({ codonId, budget }) => [codonId, budget])).toEqual([
        [
          'a',
          [
            { currency: 'dollars', limit: 1, used: 0.5, source: 'codon' },
            { currency: 'output-tokens', limit: 50, used: 2, source: 'codon' },
          ],
        ],
        ['b', [{ currency: 'dollars', limit: 5, used: 2, source: 'hank' }]],
      ])
    },
  )
})
