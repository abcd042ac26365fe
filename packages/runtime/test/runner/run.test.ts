import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { codonPlan, loopPlan, planOf } from './plans.ts'
import { startScenario } from './scenario.ts'

describe('a plan', () => {
  verifies(
    ['3/start-emits-event', '3/end-emits-completed', '3/end-idle-all-codons-completed'],
    'runs its codons in order and ends',
    async () => {
      const run = await startScenario({ plan: planOf(codonPlan('a'), codonPlan('b'), codonPlan('c')) })
      expect(await run.runner.done).toEqual({ status: 'completed' })
      expect(run.codons()).toEqual(['a:completed', 'b:completed', 'c:completed'])
      expect(run.types().filter(type => type.startsWith('codon.') || type === 'server.idle')).toEqual([
        'codon.started',
        'codon.completed',
        'codon.started',
        'codon.completed',
        'codon.started',
        'codon.completed',
        'server.idle',
      ])
      expect(run.told('server.idle').map(({ reason }) => reason)).toEqual(['all-codons-completed'])
    },
  )

  verifies(
    [
      'd4/run-started-fresh',
      'd4/run-branch',
      'd11/run-started',
      'd11/run-completed',
      'd11/run-completed-summary',
    ],
    'is one run, fresh, told when it begins and summed up when it ends',
    async () => {
      const run = await startScenario({
        plan: planOf(codonPlan('a'), codonPlan('b', { onFailure: 'retry' })),
        script: (id, call) => [
          { usage: { input: 1, output: 1, dollars: 0.5 } },
          id === 'b' && call === 0 ? { fail: 'overloaded', retriable: true } : { say: 'done' },
        ],
      })
      await run.clock.untilSleepers(1)
      await run.clock.advance(1_000)
      await run.runner.done
      const [started] = run.told('run.started')
      expect(started).toMatchObject({ startedFrom: { type: 'fresh' }, hankName: 'test' })
      expect(started?.gitBranch).toBe(`run-${started?.runId}`)
      expect(run.told('run.completed')).toEqual([
        {
          runId: started?.runId,
          status: 'completed',
          totalCost: 1.5,
          duration: 1_000,
          codons: [
            { codonId: 'a', codonName: 'a', status: 'completed', attempts: 1, cost: 0.5, duration: 0 },
            { codonId: 'b', codonName: 'b', status: 'failed', attempts: 1, cost: 0.5, duration: 0 },
            { codonId: 'b', codonName: 'b', status: 'completed', attempts: 2, cost: 0.5, duration: 0 },
          ],
        },
      ])
    },
  )

  verifies(
    ['3/loop-ends-at-limit', 'd11/loop-iteration-completed', 'd4/codon-id-is-runtime-id'],
    'counts iterations from 0 and tells each end',
    async () => {
      const loop = loopPlan('fix', 3, [codonPlan('edit'), codonPlan('check')])
      const run = await startScenario({ plan: planOf(codonPlan('a'), loop, codonPlan('z')) })
      await run.runner.done
      const ids = ['a', 'edit#0', 'check#0', 'edit#1', 'check#1', 'edit#2', 'check#2', 'z']
      expect(run.codons()).toEqual(ids.map(id => `${id}:completed`))
      expect(
        run.told('loop.iteration.completed').map(({ iteration, last }) => ({ iteration, last })),
      ).toEqual([
        { iteration: 0, last: false },
        { iteration: 1, last: false },
        { iteration: 2, last: true },
      ])
    },
  )

  verifies(
    ['3/loop-ends-at-full-context', 'd8/context-loop-codon-completes', 'd8/context-loop-drops-rest'],
    'a loop until the context is full drops the rest of its iteration',
    async () => {
      const loop = loopPlan('read', null, [
        codonPlan('one', { continuation: 'continue-previous' }),
        codonPlan('two', { continuation: 'continue-previous' }),
      ])
      const run = await startScenario({
        plan: planOf(codonPlan('a'), loop, codonPlan('z')),
        script: id => (id === 'one#2' ? [{ contextFull: true }] : undefined),
      })
      await run.runner.done
      expect(run.codons()).toEqual(
        ['a', 'one#0', 'two#0', 'one#1', 'two#1', 'one#2', 'z'].map(id => `${id}:completed`),
      )
      expect(run.told('loop.iteration.completed').at(-1)).toMatchObject({ iteration: 2, last: true })
    },
  )
})

describe('failures', () => {
  verifies(
    ['3/abort-stops-hank', '3/abort-non-retriable-shuts-down', '3/end-failure-reason', '7.1/severity-fatal'],
    'abort stops the hank; a failure that cannot be mended ends the server',
    async () => {
      const run = await startScenario({
        plan: planOf(codonPlan('a'), codonPlan('b'), codonPlan('c')),
        script: id => (id === 'b' ? [{ fail: 'no such model', retriable: false }] : undefined),
        headless: false,
      })
      run.runner.clientArrived()
      expect(await run.runner.done).toEqual({ status: 'failed', reason: 'b: no such model' })
      expect(run.codons()).toEqual(['a:completed', 'b:failed'])
      expect(run.told('codon.completed').at(-1)).toMatchObject({
        success: false,
        failureReason: { type: 'api-error', retriable: false, message: 'no such model' },
      })
      expect(run.told('error')).toEqual([
        { message: 'b: no such model', codon: 'b', fatal: true, severity: 'fatal' },
      ])
    },
  )

  verifies(
    ['repair/screen-stays'],
    'a person at a screen decides also about a failure that cannot be mended by itself',
    async () => {
      const run = await startScenario({
        plan: planOf(codonPlan('a'), codonPlan('b')),
        script: (id, call) =>
          id === 'b' && call === 0 ? [{ fail: 'no such model', retriable: false }] : undefined,
        headless: false,
        attended: true,
      })
      run.runner.clientArrived()
      await run.untilIdle('codon-completed')
      expect(run.told('error')).toMatchObject([{ codon: 'b', fatal: false, severity: 'codon' }])
      expect(await run.send('codon.redo')).toEqual({ ok: true })
      await run.untilIdle('all-codons-completed')
      run.runner.shutdown('left')
      expect(await run.runner.done).toEqual({ status: 'completed' })
    },
  )

  verifies(['repair/screen-stays'], 'a failed run that a person leaves has failed', async () => {
    const run = await startScenario({
      plan: planOf(codonPlan('a')),
      script: () => [{ fail: 'no such model', retriable: false }],
      headless: false,
      attended: true,
    })
    run.runner.clientArrived()
    await run.untilIdle('codon-completed')
    run.runner.shutdown('left')
    expect(await run.runner.done).toEqual({ status: 'failed', reason: 'a: no such model' })
  })

  verifies(
    ['3/abort-retriable-stays-active', 'd8/abort-waits', '3/redo-failed', '7.1/severity-codon'],
    'abort on a retriable failure leaves the server up for a redo, which opens a new run',
    async () => {
      const run = await startScenario({
        plan: planOf(codonPlan('a'), codonPlan('b')),
        script: (id, call) =>
          id === 'b' && call === 0 ? [{ fail: 'overloaded', retriable: true }] : undefined,
        headless: false,
      })
      run.runner.clientArrived()
      await run.untilIdle('codon-completed')
      expect(run.recorder.state.runs.at(-1)?.status).toBe('failed')
      expect(run.told('error')).toMatchObject([{ codon: 'b', fatal: false, severity: 'codon' }])
      expect(await run.send('codon.redo')).toEqual({ ok: true })
      await run.untilIdle('all-codons-completed')
      expect(run.recorder.state.runs.map(each => each.status)).toEqual(['failed', 'completed'])
      expect(run.codons()).toEqual(['b:completed'])
    },
  )

  verifies(['3/ignore-continues'], 'ignore goes on', async () => {
    const run = await startScenario({
      plan: planOf(codonPlan('a', { onFailure: 'ignore' }), codonPlan('b')),
      script: id => (id === 'a' ? [{ fail: 'nope', retriable: false }] : undefined),
    })
    expect(await run.runner.done).toEqual({ status: 'completed' })
    expect(run.codons()).toEqual(['a:failed', 'b:completed'])
  })

  test('the failure that ends a run does not end the iteration; the redo does', async () => {
    const run = await startScenario({
      plan: planOf(loopPlan('fix', 1, [codonPlan('x')])),
      script: (_, call) => (call === 0 ? [{ fail: 'overloaded', retriable: true }] : undefined),
      headless: false,
    })
    run.runner.clientArrived()
    await run.untilIdle('codon-completed')
    expect(run.told('loop.iteration.completed')).toEqual([])
    await run.send('codon.redo')
    await run.untilIdle('all-codons-completed')
    expect(run.told('loop.iteration.completed')).toMatchObject([{ loopId: 'fix', iteration: 0, last: true }])
  })
})

describe('retries', () => {
  verifies(
    [
      '3/retry-attempts-again',
      '3/retry-at-most-max-attempts',
      '3/retry-delays',
      'd11/codon-retrying',
      'd4/retry-appends-record',
      'd4/codon-attempt',
    ],
    'wait with doubled delays, never more often than they may',
    async () => {
      const run = await startScenario({
        plan: planOf(
          codonPlan('a', {
            onFailure: 'retry',
            retry: { maxAttempts: 4, delayMs: 1_000, maxDelayMs: 3_000 },
          }),
        ),
        script: () => [{ fail: 'overloaded', retriable: true }],
      })
      for (const delay of [1_000, 2_000, 3_000]) {
        await run.clock.untilSleepers(1)
        await run.clock.advance(delay - 1)
        expect(run.clock.sleepers()).toBe(1)
        await run.clock.advance(1)
      }
      expect(await run.runner.done).toEqual({ status: 'failed', reason: 'a: overloaded' })
      expect(run.codons()).toEqual(Array(4).fill('a:failed'))
      expect(run.recorder.state.runs[0]?.codons.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4])
      expect(run.told('codon.retrying').map(({ attempt, delayMs }) => ({ attempt, delayMs }))).toEqual([
        { attempt: 2, delayMs: 1_000 },
        { attempt: 3, delayMs: 2_000 },
        { attempt: 4, delayMs: 3_000 },
      ])
    },
  )

  verifies(
    [
      '2.3/retry-after-hint',
      'd8/retry-after',
      'd8/retry-after-uncapped',
      'd8/retry-parked',
      'd11/run-parked',
    ],
    'wait as long as the provider asks, uncapped, and a long wait is announced with its end',
    async () => {
      const run = await startScenario({
        plan: planOf(codonPlan('a', { onFailure: 'retry' })),
        script: (_, call) =>
          call === 0 ? [{ fail: 'slow down', retriable: true, retryAfterMs: 900_000 }] : undefined,
      })
      await run.clock.untilSleepers(1)
      await run.until('run.parked')
      expect(run.told('run.parked')).toEqual([
        { codonId: 'a', until: '2026-01-01T00:15:00.000Z', reason: 'slow down' },
      ])
      await run.clock.advance(899_999)
      expect(run.clock.sleepers()).toBe(1)
      await run.clock.advance(1)
      expect(await run.runner.done).toEqual({ status: 'completed' })
    },
  )

  test('a wait of a minute is not called parked; one beyond all calendars has a time all the same', async () => {
    const run = await startScenario({
      plan: planOf(codonPlan('a', { onFailure: 'retry' })),
      script: (_, call) => [{ fail: 'slow down', retriable: true, retryAfterMs: call === 0 ? 60_000 : 1e18 }],
    })
    await run.clock.untilSleepers(1)
    await run.clock.advance(60_000)
    await run.clock.untilSleepers(1)
    await run.until('run.parked')
    expect(run.told('run.parked').length).toBe(1)
    expect(run.told('codon.retrying').at(-1)?.resumeAt).toBe('+275760-09-13T00:00:00.000Z')
  })

  test('begin where the codon began, with the version of the workspace from before it', async () => {
    const restored: string[] = []
    let shas = 0
    const run = await startScenario({
      plan: planOf(codonPlan('a'), codonPlan('b', { onFailure: 'retry' })),
      script: (id, call) =>
        id === 'b' && call === 0 ? [{ fail: 'overloaded', retriable: true }] : undefined,
      effects: {
        checkpoint: async () => `sha${++shas}`,
        restore: async sha => {
          restored.push(sha)
          return { ok: true, files: [] }
        },
      },
    })
    await run.clock.untilSleepers(1)
    await run.clock.advance(1_000)
    await run.runner.done
    expect(run.recorder.state.runs[0]?.codons.map(({ checkpoints }) => checkpoints)).toEqual([
      { completed: 'sha1' },
      { error: 'sha2' },
      { completed: 'sha3' },
    ])
    expect(restored).toEqual(['sha1'])
  })
})
