import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { codonPlan, loopPlan, planOf } from './plans.ts'
import { type Scenario, startScenario } from './scenario.ts'

const hang = [{ say: 'working' }, { hang: true }] as const
const refusal = (code: string) => expect.objectContaining({ ok: false, code })

/** Up to a codon that hangs, with a client. */
async function untilWorking(run: Scenario, codonId: string): Promise<void> {
  run.runner.clientArrived()
  await run.until(
    'assistant.action',
    event => event.type === 'assistant.action' && event.data.codonId === codonId,
  )
}

describe('without autostart', () => {
  verifies(
    ['3/end-idle-codon-completed', 'd5/error-no-next-codon', '3/next-begins-codon'],
    'a person steps through the hank; after the last codon the run is complete',
    async () => {
      const run = await startScenario({
        plan: planOf(codonPlan('a'), codonPlan('b')),
        headless: false,
        autostart: false,
      })
      run.runner.clientArrived()
      expect(await run.send('codon.next')).toEqual({ ok: true })
      await run.untilIdle('codon-completed')
      expect(run.codons()).toEqual(['a:completed'])
      expect(await run.send('codon.next')).toEqual({ ok: true })
      await run.untilIdle('all-codons-completed')
      expect(run.recorder.state.runs).toMatchObject([{ status: 'completed' }])
      expect(await run.send('codon.next')).toEqual(refusal('NO_NEXT_CODON'))
    },
  )

  test('headless or not, nothing begins before a command', async () => {
    for (const headless of [true, false]) {
      const run = await startScenario({ plan: planOf(codonPlan('a')), headless, autostart: false })
      run.runner.clientArrived()
      await run.untilIdle('startup')
      await run.clock.advance(60_000)
      expect(run.codons()).toEqual([])
      await run.send('codon.start', { codonId: 'a' })
      await run.untilIdle('all-codons-completed')
    }
  })

  test('a codon that fails is retried and given up as ever: only the next codon waits', async () => {
    const run = await startScenario({
      plan: planOf(
        codonPlan('a', { onFailure: 'retry', retry: { maxAttempts: 2, delayMs: 5, maxDelayMs: 5 } }),
      ),
      script: () => [{ fail: 'overloaded', retriable: true }],
      headless: false,
      autostart: false,
    })
    await run.send('codon.next')
    await run.clock.untilSleepers(1)
    await run.clock.advance(5)
    await run.untilIdle('codon-completed')
    expect(run.codons()).toEqual(['a:failed', 'a:failed'])
    expect(run.recorder.state.runs).toMatchObject([{ status: 'failed' }])
  })

  verifies(['3/skip-starts-next'], 'a skip starts the next codon all the same', async () => {
    const run = await startScenario({
      plan: planOf(codonPlan('a'), codonPlan('b'), codonPlan('c')),
      script: id => (id === 'a' ? hang : undefined),
      headless: false,
      autostart: false,
    })
    await run.send('codon.next')
    await untilWorking(run, 'a')
    await run.send('codon.skip')
    await run.untilIdle('codon-completed')
    expect(run.codons()).toEqual(['a:skipped', 'b:completed'])
  })
})

describe('with autostart', () => {
  verifies(
    ['d2/autostart-on-first-handshake', '2.8/autostart-true'],
    'the first client begins the hank, and no later one',
    async () => {
      const run = await startScenario({ plan: planOf(codonPlan('a'), codonPlan('b')), headless: false })
      await run.untilIdle('startup')
      await run.clock.advance(60_000)
      expect(run.codons()).toEqual([])
      run.runner.clientArrived()
      run.runner.clientArrived()
      await run.untilIdle('all-codons-completed')
      run.runner.clientArrived()
      expect(await run.send('ping')).toEqual({ ok: true })
      expect(run.codons()).toEqual(['a:completed', 'b:completed'])
    },
  )
})

describe('codon.start', () => {
  verifies(['3/start-begins-codon'], 'begins the named codon and the plan goes on from there', async () => {
    const loop = loopPlan('fix', 2, [codonPlan('edit'), codonPlan('check')])
    const run = await startScenario({ plan: planOf(codonPlan('a'), loop, codonPlan('z')), headless: false })
    await run.send('codon.start', { codonId: 'check#1' })
    await run.untilIdle('all-codons-completed')
    expect(run.codons()).toEqual(['check#1:completed', 'z:completed'])
  })

  verifies(
    [
      '3/start-runs-rig-setup-first',
      '3/start-skips-rig-setup',
      '2.3/rig-setup-runs-first',
      'd4/preparing-is-rig',
    ],
    'runs the rig first, unless it is to be skipped',
    async () => {
      const seen: string[] = []
      const run = await startScenario({
        plan: planOf(codonPlan('a'), codonPlan('b')),
        headless: false,
        autostart: false,
        script: id => {
          seen.push(`agent of ${id}`)
          return undefined
        },
        effects: {
          runRig: async ({ runtimeId }) => {
            seen.push(`rig of ${runtimeId} ${run.codons().at(-1)}`)
            return { ok: true }
          },
        },
      })
      await run.send('codon.start', { codonId: 'a' })
      await run.untilIdle('codon-completed')
      await run.send('codon.start', { codonId: 'b', skipPreCommands: true })
      await run.untilIdle('all-codons-completed')
      expect(seen).toEqual(['rig of a a:preparing', 'agent of a', 'agent of b'])
    },
  )

  verifies(['d5/error-unknown-codon'], 'of a codon that is not in the plan is refused', async () => {
    const loop = loopPlan('fix', 2, [codonPlan('edit')])
    const run = await startScenario({ plan: planOf(codonPlan('a'), loop), headless: false })
    for (const codonId of ['b', 'a#0', 'edit#2', 'fix'])
      expect(await run.send('codon.start', { codonId })).toEqual(refusal('UNKNOWN_CODON'))
  })
})

describe('a codon at work', () => {
  verifies(
    ['d5/error-codon-already-running', 'd5/commands-in-order'],
    'keeps others from starting; commands act in the order in which they came',
    async () => {
      const run = await startScenario({
        plan: planOf(codonPlan('a'), codonPlan('b')),
        script: () => hang,
        headless: false,
      })
      await untilWorking(run, 'a')
      const answers = await Promise.all([
        run.send('codon.start', { codonId: 'b' }),
        run.send('codon.next'),
        run.send('codon.redo'),
        run.send('codon.skip'),
        run.send('codon.forceStop'),
      ])
      expect(answers).toEqual([
        refusal('CODON_ALREADY_RUNNING'),
        refusal('CODON_ALREADY_RUNNING'),
        refusal('CODON_ALREADY_RUNNING'),
        { ok: true },
        { ok: true },
      ])
      await untilWorking(run, 'b')
      expect(run.codons()).toEqual(['a:skipped', 'b:running'])
    },
  )

  verifies(
    ['3/skip-running-codon', 'd4/completed-success'],
    'is skipped and the next one starts',
    async () => {
      const checkpoints: string[] = []
      const run = await startScenario({
        plan: planOf(codonPlan('a'), codonPlan('b')),
        script: id => (id === 'a' ? hang : undefined),
        effects: {
          checkpoint: async (type, { runtimeId }) => {
            checkpoints.push(`${type} ${runtimeId}`)
            return `sha of ${runtimeId}`
          },
        },
      })
      await untilWorking(run, 'a')
      expect(await run.send('codon.skip')).toEqual({ ok: true })
      expect(await run.runner.done).toEqual({ status: 'completed' })
      expect(run.codons()).toEqual(['a:skipped', 'b:completed'])
      expect(run.told('codon.completed').map(({ success }) => success)).toEqual([false, true])
      expect(checkpoints).toEqual(['skipped a', 'completed b'])
      expect(run.recorder.state.runs[0]?.codons[0]?.checkpoints).toEqual({ skipped: 'sha of a' })
    },
  )

  verifies(
    ['3/force-stop', '3/force-stop-reason', 'd5/force-stop-result', 'd5/force-stop-waits'],
    'is stopped by force and the hank waits',
    async () => {
      const run = await startScenario({
        plan: planOf(codonPlan('a'), codonPlan('b')),
        script: id => (id === 'a' ? hang : undefined),
        headless: false,
      })
      await untilWorking(run, 'a')
      await run.send('codon.forceStop', { reason: 'too slow' })
      await run.untilIdle('codon-completed')
      expect(run.recorder.state.runs.at(-1)?.codons[0]).toMatchObject({
        status: 'failed',
        exitStatus: { type: 'killed', signal: 'SIGTERM' },
        failureReason: { message: 'Stopped by force: too slow.' },
      })
      await run.clock.advance(3_600_000)
      expect(run.codons()).toEqual(['a:failed'])
      expect(await run.send('codon.next')).toEqual({ ok: true })
      await run.untilIdle('all-codons-completed')
      expect(run.codons()).toEqual(['a:failed', 'b:completed'])
    },
  )

  test('that is at its end when it is stopped by force: the hank waits all the same', async () => {
    for (const outcome of ['done', 'failed'] as const) {
      let stopped: Promise<unknown> | undefined
      const run = await startScenario({
        plan: planOf(codonPlan('a', { onFailure: 'ignore' }), codonPlan('b')),
        script: () => (outcome === 'done' ? undefined : [{ fail: 'nope', retriable: true }]),
        headless: false,
        effects: {
          checkpoint: async type => {
            if (type !== 'rig-setup') stopped ??= run.send('codon.forceStop')
            return undefined
          },
        },
      })
      run.runner.clientArrived()
      await run.untilIdle('codon-completed')
      expect(await stopped).toEqual({ ok: true })
      await run.clock.advance(60_000)
      expect(run.codons()).toEqual([outcome === 'done' ? 'a:completed' : 'a:failed'])
    }
  })

  test('that had just failed by itself when it was skipped: its next attempt is skipped, the plan goes on', async () => {
    let skipped: Promise<unknown> | undefined
    const run = await startScenario({
      plan: planOf(codonPlan('a', { onFailure: 'retry' }), codonPlan('b')),
      script: id => (id === 'a' ? [{ fail: 'overloaded', retriable: true }] : undefined),
      effects: {
        checkpoint: async type => {
          if (type === 'error') skipped ??= run.send('codon.skip')
          return undefined
        },
      },
    })
    expect(await run.runner.done).toEqual({ status: 'completed' })
    expect(await skipped).toEqual({ ok: true })
    expect(run.codons()).toEqual(['a:failed', 'a:skipped', 'b:completed'])
    expect(run.specs.length).toBe(2)
  })

  verifies(
    ['3/shutdown-graceful', 'd5/error-shutting-down'],
    'is ended by a shutdown; what comes meanwhile is refused, and it runs again when the execution is resumed',
    async () => {
      const plan = planOf(codonPlan('a'), codonPlan('b'), codonPlan('c'))
      const first = await startScenario({ plan, script: id => (id === 'b' ? hang : undefined) })
      await untilWorking(first, 'b')
      const answers = Promise.all([
        first.send('server.shutdown'),
        first.send('ping'),
        first.send('codon.skip'),
        first.send('server.shutdown'),
      ])
      expect(await first.runner.done).toMatchObject({ status: 'stopped' })
      expect(await answers).toEqual([{ ok: true }, ...Array(3).fill(refusal('SHUTTING_DOWN'))])
      expect(await first.send('ping')).toEqual(refusal('SHUTTING_DOWN'))
      await first.close()
      expect(first.codons()).toEqual(['a:completed', 'b:failed'])
      expect(first.recorder.state.runs).toMatchObject([
        { status: 'stopped', reason: 'a client asked for it' },
      ])
      const second = await startScenario({ plan, from: first })
      expect(await second.runner.done).toEqual({ status: 'completed' })
      expect(second.codons()).toEqual(['b:completed', 'c:completed'])
      expect(second.recorder.state.runs.at(-1)?.startedFrom).toMatchObject({
        type: 'continuation',
        codonId: 'a',
      })
    },
  )
})

describe('a shutdown while the last codon makes its last checkpoint', () => {
  /** The checkpoint of the codon's end waits for `go`. */
  async function atLastCheckpoint(outcome: 'completes' | 'is cut off') {
    let go = (): void => undefined
    let reached = (): void => undefined
    const free = new Promise<void>(resolve => (go = resolve))
    const there = new Promise<void>(resolve => (reached = resolve))
    const run = await startScenario({
      plan: planOf(codonPlan('a'), codonPlan('b', { onFailure: 'ignore' })),
      script: id => (id === 'b' && outcome === 'is cut off' ? hang : undefined),
      effects: {
        async checkpoint(type, { runtimeId }) {
          if (runtimeId === 'b' && type === 'completed') {
            reached()
            await free
          }
          return `${runtimeId} ${type}`
        },
      },
    })
    return { run, there, go: () => go() }
  }

  verifies(
    ['repair/done-at-last-checkpoint'],
    'leaves the hank done, for there is nothing that it cut short',
    async () => {
      const { run, there, go } = await atLastCheckpoint('completes')
      await there
      const down = run.send('server.shutdown')
      await run.runner.leaving
      go()
      expect(await down).toEqual({ ok: true })
      expect(await run.runner.done).toEqual({ status: 'completed' })
      expect(run.recorder.state.runs).toMatchObject([{ status: 'completed' }])
      expect(run.told('run.completed')).toMatchObject([{ status: 'completed' }])
    },
  )

  test('a codon that it did cut off is to be done again, also when its failures are ignored', async () => {
    const { run } = await atLastCheckpoint('is cut off')
    await untilWorking(run, 'b')
    await run.send('server.shutdown')
    expect(await run.runner.done).toMatchObject({ status: 'stopped' })
    expect(run.recorder.state.runs).toMatchObject([{ status: 'stopped' }])
  })
})

describe('no codon at work', () => {
  verifies(
    ['d5/error-no-codon-running', 'd5/error-nothing-to-redo'],
    'leaves nothing to skip, to stop or to redo',
    async () => {
      const run = await startScenario({ plan: planOf(codonPlan('a')), headless: false })
      expect(await run.send('codon.skip')).toEqual(refusal('NO_CODON_RUNNING'))
      expect(await run.send('codon.forceStop')).toEqual(refusal('NO_CODON_RUNNING'))
      expect(await run.send('codon.redo')).toEqual(refusal('NOTHING_TO_REDO'))
    },
  )

  test('a shutdown ends the server at once', async () => {
    const run = await startScenario({ plan: planOf(codonPlan('a')), headless: false })
    expect(await run.send('server.shutdown', { reason: 'lunch' })).toEqual({ ok: true })
    expect(await run.runner.done).toEqual({ status: 'stopped', reason: 'lunch' })
  })

  test('a shutdown is known of also while the server is busy with something that does not end', async () => {
    let finish: () => void = () => undefined
    const finished = new Promise<void>(resolve => {
      finish = resolve
    })
    const run = await startScenario({
      plan: planOf(codonPlan('a'), codonPlan('b')),
      headless: false,
      effects: {
        checkpoint: async () => 'sha',
        async restore() {
          await finished
          return { ok: true, files: [] }
        },
      },
    })
    run.runner.clientArrived()
    await run.untilIdle('all-codons-completed')
    const redone = run.send('codon.redo')
    const down = run.send('server.shutdown')
    await run.runner.leaving
    finish()
    expect(await Promise.all([redone, down])).toEqual([{ ok: true }, { ok: true }])
    expect(await run.runner.done).toMatchObject({ status: 'stopped' })
  })
})

describe('the wait for the next attempt', () => {
  const plan = planOf(loopPlan('l', 1, [codonPlan('a', { onFailure: 'retry' })]), codonPlan('b'))
  const start = (headless: boolean) =>
    startScenario({
      plan,
      headless,
      script: id => (id === 'a#0' ? [{ fail: 'overloaded', retriable: true }] : undefined),
    })

  verifies(['d8/retry-wait-skip'], 'is cut short by a skip, which leaves a record of its own', async () => {
    const run = await start(true)
    await run.clock.untilSleepers(1)
    expect(await run.send('codon.skip')).toEqual({ ok: true })
    expect(await run.runner.done).toEqual({ status: 'completed' })
    expect(run.codons()).toEqual(['a#0:failed', 'a#0:skipped', 'b:completed'])
    expect(run.recorder.state.runs[0]?.codons[1]).toMatchObject({
      attempt: 2,
      loopContext: { loopId: 'l', iteration: 0, codonIndexInLoop: 0 },
    })
    expect(run.told('loop.iteration.completed')).toMatchObject([{ loopId: 'l', iteration: 0, last: true }])
  })

  verifies(['d8/retry-wait-force-stop'], 'is cut short by a stop by force; the hank waits', async () => {
    const run = await start(false)
    run.runner.clientArrived()
    await run.clock.untilSleepers(1)
    expect(await run.send('codon.next')).toEqual(refusal('CODON_ALREADY_RUNNING'))
    expect(await run.send('codon.forceStop')).toEqual({ ok: true })
    await run.untilIdle('codon-completed')
    await run.clock.advance(60_000)
    expect(run.codons()).toEqual(['a#0:failed'])
    await run.send('codon.next')
    await run.untilIdle('all-codons-completed')
    expect(run.codons()).toEqual(['a#0:failed', 'b:completed'])
  })

  verifies(['d8/retry-wait-shutdown'], 'is cut short by a shutdown', async () => {
    const run = await start(false)
    run.runner.clientArrived()
    await run.clock.untilSleepers(1)
    expect(await run.send('server.shutdown')).toEqual({ ok: true })
    expect(await run.runner.done).toMatchObject({ status: 'stopped' })
    expect(run.clock.sleepers()).toBe(0)
    expect(run.codons()).toEqual(['a#0:failed'])
  })
})

describe('codon.redo', () => {
  verifies(
    ['3/redo-completed'],
    'runs a completed codon again, from where it began, in a run of its own',
    async () => {
      const restored: string[] = []
      let shas = 0
      const run = await startScenario({
        plan: planOf(codonPlan('a'), codonPlan('b')),
        headless: false,
        effects: {
          checkpoint: async () => `sha${++shas}`,
          restore: async sha => {
            restored.push(sha)
            return { ok: true, files: [] }
          },
        },
      })
      run.runner.clientArrived()
      await run.untilIdle('all-codons-completed')
      expect(await run.send('codon.redo')).toEqual({ ok: true })
      await run.untilIdle('all-codons-completed', 1)
      const [first, second] = run.recorder.state.runs
      expect(second?.startedFrom).toEqual({
        type: 'continuation',
        runId: first?.runId,
        codonId: 'a',
        checkpoint: 'sha1',
      })
      expect(restored).toEqual(['sha1'])
      expect(run.codons()).toEqual(['b:completed'])
    },
  )

  test('in the middle of a run closes that run and says so', async () => {
    const run = await startScenario({
      plan: planOf(codonPlan('a'), codonPlan('b')),
      headless: false,
      autostart: false,
    })
    await run.send('codon.next')
    await run.untilIdle('codon-completed')
    await run.send('codon.redo')
    await run.untilIdle('codon-completed', 1)
    expect(run.recorder.state.runs.map(({ status }) => status)).toEqual(['stopped', 'running'])
    expect(run.told('run.completed')).toMatchObject([{ status: 'stopped', reason: 'redo' }])
  })

  test('passes over skipped codons: the last that completed or failed is meant', async () => {
    const run = await startScenario({
      plan: planOf(codonPlan('a'), codonPlan('b')),
      script: (id, call) => (id === 'b' && call === 0 ? hang : undefined),
      headless: false,
    })
    await untilWorking(run, 'b')
    await run.send('codon.skip')
    await run.untilIdle('all-codons-completed')
    expect(run.codons()).toEqual(['a:completed', 'b:skipped'])
    await run.send('codon.redo')
    await run.untilIdle('all-codons-completed', 1)
    expect(run.codons()).toEqual(['a:completed', 'b:completed'])
  })

  test('is refused when the workspace cannot be put back, and nothing changes', async () => {
    const run = await startScenario({
      plan: planOf(codonPlan('a'), codonPlan('b')),
      headless: false,
      effects: {
        checkpoint: async () => 'sha',
        restore: async () => ({ ok: false, message: 'the repository is gone' }),
      },
    })
    run.runner.clientArrived()
    await run.untilIdle('all-codons-completed')
    expect(await run.send('codon.redo')).toEqual({
      ok: false,
      code: 'INTERNAL_ERROR',
      message: 'the repository is gone',
    })
    expect(run.recorder.state.runs.length).toBe(1)
  })
})

describe('an event that answers a command', () => {
  const answers = (run: Scenario) =>
    run.events.flatMap(({ commandId, type }) => (commandId === undefined ? [] : [`${commandId} ${type}`]))

  verifies(['d5/command-id'], 'carries its id; no other event does', async () => {
    const run = await startScenario({
      plan: planOf(codonPlan('a'), codonPlan('b'), codonPlan('c')),
      script: id => (id === 'c' ? undefined : hang),
      headless: false,
      autostart: false,
    })
    await run.send('codon.next')
    await untilWorking(run, 'a')
    await run.send('ping')
    await run.send('codon.start', { codonId: 'nobody' })
    await run.send('codon.redo')
    await run.send('rollback.toLastSuccess')
    await run.send('codon.skip')
    await untilWorking(run, 'b')
    await run.send('codon.forceStop')
    await run.send('codon.skip')
    await run.untilIdle('codon-completed')
    await run.send('server.shutdown')
    await run.runner.done
    expect(answers(run)).toEqual([
      'c1 codon.started',
      'c6 codon.completed',
      'c7 codon.completed',
      'c9 run.completed',
    ])
  })

  test('is the idle server, when a wait was ended by force', async () => {
    const run = await startScenario({
      plan: planOf(codonPlan('a', { onFailure: 'retry' })),
      script: () => [{ fail: 'overloaded', retriable: true }],
      headless: false,
    })
    run.runner.clientArrived()
    await run.clock.untilSleepers(1)
    await run.send('codon.forceStop')
    await run.untilIdle('codon-completed')
    expect(answers(run)).toEqual(['c1 server.idle'])
  })
})
