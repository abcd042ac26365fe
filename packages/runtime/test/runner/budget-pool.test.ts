import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { codon, loop, plan } from '../budget/budget-plans.ts'
import { allCodons, breachOf, budgeted, called, spends } from './budget-scene.ts'
import type { Scenario } from './scenario.ts'

/** What every codon came to: its id, its end, its cost. */
const ends = (run: Scenario) =>
  allCodons(run).map(({ codonId, status, cost }) => `${codonId} ${status} ${Number(cost.toFixed(9))}`)

const loops = (run: Scenario) =>
  run.told('loop.iteration.completed').map(({ iteration, last }) => `${iteration}${last ? ' last' : ''}`)

describe('a pool that is empty', () => {
  verifies(
    ['d9/empty-pool-no-start', 'd9/empty-pool-complete', 'd9/shared', '2.6/allocation-default'],
    'with complete has later codons recorded as done, at no cost, with the reason',
    async () => {
      const of = plan([codon('a'), codon('b'), codon('c')], { budget: { maxDollars: 1 } })
      const { run } = await budgeted(of, () => spends(0.6, 0.1))
      expect(await run.runner.done).toEqual({ status: 'completed' })
      expect(called(run)).toEqual(['a', 'b'])
      expect(ends(run)).toEqual(['a completed 0.7', 'b completed 0.6', 'c completed 0'])
      expect(allCodons(run).map(record => breachOf(record)?.used)).toEqual([undefined, 1.3, 1.3])
      expect(run.told('run.completed')[0]).toMatchObject({ status: 'completed', totalCost: 1.3 })
      expect(run.told('budget.exceeded').map(({ codonId }) => codonId)).toEqual(['b', 'c'])
    },
  )

  verifies(['d9/empty-pool-fail'], 'with fail fails the run when the next codon is due', async () => {
    const total = { type: 'ended', end: { ok: true, totalDollars: 1 } } as const
    const of = plan([codon('a'), codon('b')], { budget: { maxDollars: 1, onExceeded: 'fail' } })
    const { run } = await budgeted(of, () => [total])
    const end = await run.runner.done
    expect(end).toMatchObject({ status: 'failed', reason: expect.stringMatching(/^Budget exceeded: /) })
    expect(called(run)).toEqual(['a'])
    expect(run.codons()).toEqual(['a:completed'])
    expect(run.recorder.state.runs[0]?.status).toBe('failed')
  })

  verifies(
    ['d9/empty-loop-ends', '2.6/loop-budget-over-iterations'],
    'of a loop ends the loop: its archive is made and the next item runs',
    async () => {
      const archives: string[] = []
      const l = loop('l', 5, { codons: [codon('a'), codon('b')], budget: { maxDollars: 1 } })
      const of = plan([{ ...l, archiveOnSuccess: ['*.tmp'] }, codon('z')])
      const { run } = await budgeted(of, id => (id === 'z' ? [] : spends(0.3)), {
        effects: {
          archive: async owner => {
            archives.push(owner)
            return { ok: true, files: [] }
          },
        },
      })
      expect(await run.runner.done).toEqual({ status: 'completed' })
      expect(called(run)).toEqual(['a#0', 'b#0', 'a#1', 'b#1', 'z'])
      expect(breachOf(allCodons(run)[3])).toEqual({
        currency: 'dollars',
        limit: 1,
        used: 1.2,
        scope: 'loop:l',
      })
      expect(archives).toEqual(['l'])
    },
  )

  test('of a loop that is reached in the middle of an iteration ends the iteration there', async () => {
    const l = loop('l', 5, { codons: [codon('a'), codon('b')], budget: { maxDollars: 1 } })
    const archives: string[] = []
    const { run } = await budgeted(
      plan([{ ...l, archiveOnSuccess: ['*.tmp'] }, codon('z')]),
      id => (id === 'z' ? [] : spends(0.4)),
      {
        effects: {
          archive: async owner => {
            archives.push(owner)
            return { ok: true, files: [] }
          },
        },
      },
    )
    expect(await run.runner.done).toEqual({ status: 'completed' })
    expect(called(run)).toEqual(['a#0', 'b#0', 'a#1', 'z'])
    expect(archives).toEqual(['l'])
    expect(run.told('budget.exceeded').map(({ codonId, scope }) => `${codonId} ${scope}`)).toEqual([
      'a#1 loop:l',
    ])
    expect(loops(run)).toEqual(['0', '1 last'])
  })

  verifies(
    ['2.6/codon-caps-per-iteration', '8/budget-caps-per-iteration'],
    'of a codon in a loop is full again in the next iteration',
    async () => {
      const of = plan([loop('l', 3, { codons: [codon('a', { maxDollars: 1 })] })])
      const { run } = await budgeted(of, () => spends(0.6, 0.6, 0.6))
      await run.runner.done
      expect(ends(run)).toEqual(['a#0 completed 1.2', 'a#1 completed 1.2', 'a#2 completed 1.2'])
    },
  )

  verifies(
    [
      'd14/proportional-leftover',
      'd9/proportional-limit',
      'd9/proportional-returns',
      'd9/children-without-share',
    ],
    'that is divided gives each its share, and what one leaves to those after it',
    async () => {
      const shares = { a: 0.5, b: 0.25 }
      const of = plan([codon('a'), codon('b'), codon('c')], {
        budget: { maxDollars: 4, allocation: 'proportional', shares },
      })
      const { run } = await budgeted(of, id =>
        id === 'a' ? spends(1) : spends(0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5),
      )
      await run.runner.done
      expect(ends(run)).toEqual(['a completed 1', 'b completed 2', 'c completed 1'])
    },
  )

  verifies(['d9/proportional-strict'], 'that is divided strictly keeps what one leaves', async () => {
    const shares = { a: 0.5, b: 0.25 }
    const of = plan([codon('a'), codon('b'), codon('c')], {
      budget: { maxDollars: 4, allocation: 'proportional-strict', shares },
    })
    const { run } = await budgeted(of, id => (id === 'a' ? spends(1) : spends(0.5, 0.5, 0.5, 0.5, 0.5)))
    await run.runner.done
    expect(ends(run)).toEqual(['a completed 1', 'b completed 1', 'c completed 1'])
  })

  verifies(
    ['d9/codon-cap-lowers'],
    'is not widened by a cap of the codon, and the cap can be less',
    async () => {
      const of = plan([codon('a', { maxDollars: 0.5 }), codon('b', { maxDollars: 9 })], {
        budget: { maxDollars: 2 },
      })
      const { run } = await budgeted(of, () => spends(0.5, 0.5, 0.5, 0.5, 0.5))
      await run.runner.done
      expect(ends(run)).toEqual(['a completed 0.5', 'b completed 1.5'])
      expect(allCodons(run).map(record => breachOf(record)?.scope)).toEqual(['codon', 'hank'])
    },
  )

  verifies(['d9/loop-with-share'], 'is for a loop with a share as if that were its budget', async () => {
    const of = plan([loop('l', 9, { codons: [codon('a')] }), codon('z')], {
      budget: { maxDollars: 4, allocation: 'proportional-strict', shares: { l: 0.25 } },
    })
    const { run } = await budgeted(of, () => spends(0.5))
    await run.runner.done
    expect(called(run)).toEqual(['a#0', 'a#1', 'z'])
    expect(breachOf(allCodons(run)[1])).toMatchObject({ scope: 'loop:l', limit: 1 })
  })
})

describe('nobody can start a codon for which nothing is left', () => {
  const spent = (onExceeded: 'complete' | 'fail') =>
    plan([codon('a'), codon('b'), codon('c')], { budget: { maxDollars: 1, onExceeded } })
  const total = { type: 'ended', end: { ok: true, totalDollars: 1 } } as const

  const idle = async (onExceeded: 'complete' | 'fail') => {
    const scene = await budgeted(spent(onExceeded), () => [total], { headless: false, autostart: false })
    await scene.run.send('codon.next')
    await scene.run.untilIdle('codon-completed')
    return scene.run
  }

  test.each(['codon.next', 'codon.start', 'codon.redo'] as const)(
    '%s leaves only a record, with complete',
    async type => {
      const run = await idle('complete')
      const before = run.told('codon.completed').length
      expect(await run.send(type, type === 'codon.start' ? { codonId: 'c' } : {})).toEqual({ ok: true })
      await run.until('codon.completed', () => run.told('codon.completed').length > before)
      expect(called(run)).toEqual(['a'])
      expect(allCodons(run).at(-1)).toMatchObject({ status: 'completed', cost: 0 })
      expect(breachOf(allCodons(run).at(-1))).toMatchObject({ scope: 'hank', used: 1 })
    },
  )

  test.each(['codon.next', 'codon.start', 'codon.redo'] as const)(
    '%s fails the run, with fail',
    async type => {
      const run = await idle('fail')
      await run.send(type, type === 'codon.start' ? { codonId: 'c' } : {})
      expect((await run.runner.done).status).toBe('failed')
      expect(called(run)).toEqual(['a'])
      expect(allCodons(run)).toHaveLength(1)
    },
  )

  test('neither does a rollback that starts what comes next', async () => {
    const run = await idle('complete')
    await run.send('rollback.toCodon', { codonId: 'a', checkpointType: 'start', autoRestart: true })
    await run.until('rollback.completed')
    await run.until('codon.completed', () => run.told('codon.completed').length === 2)
    expect(called(run)).toEqual(['a'])
    expect(allCodons(run).at(-1)).toMatchObject({ codonId: 'a', status: 'completed', cost: 0 })
  })

  test('a skip costs nothing and is what it is', async () => {
    const retry = { maxAttempts: 3, delayMs: 5_000, maxDelayMs: 5_000 }
    const reason = { type: 'api-error', retriable: true, message: 'x' } as const
    const bad = {
      type: 'ended',
      end: { ok: false, totalDollars: 1, exit: { type: 'error', code: 1 }, reason },
    } as const
    const { run } = await budgeted(
      plan([codon('a', { maxDollars: 1 }, { onFailure: 'retry', retry })]),
      () => [bad],
      { headless: false },
    )
    run.runner.clientArrived()
    await run.until('codon.retrying')
    await run.send('codon.skip')
    await run.untilIdle('all-codons-completed')
    expect(ends(run)).toEqual(['a failed 1', 'a skipped 0'])
  })
})
