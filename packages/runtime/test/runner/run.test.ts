import { describe, expect, test } from 'vitest'
import { codonPlan, loopPlan, planOf } from './plans.ts'
import { startScenario } from './scenario.ts'

describe('a plan', () => {
  test('runs its codons in order and ends', async () => {
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
  })

  test('counts iterations from 0 and tells each end', async () => {
    const loop = loopPlan('fix', 3, [codonPlan('edit'), codonPlan('check')])
    const run = await startScenario({ plan: planOf(codonPlan('a'), loop, codonPlan('z')) })
    await run.runner.done
    const ids = ['a', 'edit#0', 'check#0', 'edit#1', 'check#1', 'edit#2', 'check#2', 'z']
    expect(run.codons()).toEqual(ids.map(id => `${id}:completed`))
    const ends = run.events.flatMap(event => (event.type === 'loop.iteration.completed' ? [event.data] : []))
    expect(ends.map(({ iteration, last }) => ({ iteration, last }))).toEqual([
      { iteration: 0, last: false },
      { iteration: 1, last: false },
      { iteration: 2, last: true },
    ])
  })

  test('a loop until the context is full drops the rest of its iteration', async () => {
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
  })
})

describe('failures', () => {
  test('abort stops the hank; a failure that cannot be mended ends the server', async () => {
    const run = await startScenario({
      plan: planOf(codonPlan('a'), codonPlan('b'), codonPlan('c')),
      script: id => (id === 'b' ? [{ fail: 'no such model', retriable: false }] : undefined),
      headless: false,
    })
    run.runner.clientArrived()
    expect(await run.runner.done).toEqual({ status: 'failed', reason: 'b: no such model' })
    expect(run.codons()).toEqual(['a:completed', 'b:failed'])
  })

  test('abort on a retriable failure leaves the server up for a redo, which opens a new run', async () => {
    const run = await startScenario({
      plan: planOf(codonPlan('a'), codonPlan('b')),
      script: (id, call) =>
        id === 'b' && call === 0 ? [{ fail: 'overloaded', retriable: true }] : undefined,
      headless: false,
    })
    run.runner.clientArrived()
    await run.until(
      'server.idle',
      event => event.type === 'server.idle' && event.data.reason === 'codon-completed',
    )
    expect(run.recorder.state.runs.at(-1)?.status).toBe('failed')
    expect(await run.send('codon.redo')).toEqual({ ok: true })
    await run.until(
      'server.idle',
      event => event.type === 'server.idle' && event.data.reason === 'all-codons-completed',
    )
    expect(run.recorder.state.runs.map(each => each.status)).toEqual(['failed', 'completed'])
    expect(run.codons()).toEqual(['b:completed'])
  })

  test('ignore goes on', async () => {
    const run = await startScenario({
      plan: planOf(codonPlan('a', { onFailure: 'ignore' }), codonPlan('b')),
      script: id => (id === 'a' ? [{ fail: 'nope', retriable: false }] : undefined),
    })
    expect(await run.runner.done).toEqual({ status: 'completed' })
    expect(run.codons()).toEqual(['a:failed', 'b:completed'])
  })

  test('retry waits with doubled delays, never more often than it may', async () => {
    const run = await startScenario({
      plan: planOf(
        codonPlan('a', { onFailure: 'retry', retry: { maxAttempts: 4, delayMs: 1_000, maxDelayMs: 3_000 } }),
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
    const delays = run.events.flatMap(event => (event.type === 'codon.retrying' ? [event.data.delayMs] : []))
    expect(delays).toEqual([1_000, 2_000, 3_000])
  })

  test('what the provider asks for replaces the delay, uncapped, and a long wait is announced', async () => {
    const run = await startScenario({
      plan: planOf(codonPlan('a', { onFailure: 'retry' })),
      script: (_, call) =>
        call === 0 ? [{ fail: 'slow down', retriable: true, retryAfterMs: 900_000 }] : undefined,
    })
    await run.clock.untilSleepers(1)
    await run.until('run.parked')
    await run.clock.advance(900_000)
    expect(await run.runner.done).toEqual({ status: 'completed' })
  })
})

describe('a person', () => {
  test('steps through a hank that does not start by itself', async () => {
    const run = await startScenario({
      plan: planOf(codonPlan('a'), codonPlan('b')),
      headless: false,
      autostart: false,
    })
    run.runner.clientArrived()
    for (const id of ['a', 'b']) {
      expect(await run.send('codon.next')).toEqual({ ok: true })
      await run.until(
        'codon.completed',
        event => event.type === 'codon.completed' && event.data.codonId === id,
      )
    }
    await run.until('server.idle', event => event.type === 'server.idle' && event.data.reason !== 'startup')
    expect(await run.send('codon.next')).toMatchObject({ ok: false, code: 'NO_NEXT_CODON' })
  })

  test('skips a running codon and the next one starts', async () => {
    const run = await startScenario({
      plan: planOf(codonPlan('a'), codonPlan('b')),
      script: id => (id === 'a' ? [{ say: 'working' }, { hang: true }] : undefined),
    })
    await run.until('assistant.action')
    expect(await run.send('codon.skip')).toEqual({ ok: true })
    expect(await run.runner.done).toEqual({ status: 'completed' })
    expect(run.codons()).toEqual(['a:skipped', 'b:completed'])
  })

  test('stops a codon by force and the hank waits', async () => {
    const run = await startScenario({
      plan: planOf(codonPlan('a'), codonPlan('b')),
      script: id => (id === 'a' ? [{ say: 'working' }, { hang: true }] : undefined),
      headless: false,
    })
    run.runner.clientArrived()
    await run.until('assistant.action')
    await run.send('codon.forceStop', { reason: 'too slow' })
    await run.until(
      'server.idle',
      event => event.type === 'server.idle' && event.data.reason === 'codon-completed',
    )
    expect(run.recorder.state.runs.at(-1)?.codons[0]).toMatchObject({
      status: 'failed',
      exitStatus: { type: 'killed' },
      failureReason: { message: 'Stopped by force: too slow.' },
    })
    expect(await run.send('codon.next')).toEqual({ ok: true })
    await run.until(
      'server.idle',
      event => event.type === 'server.idle' && event.data.reason === 'all-codons-completed',
    )
    expect(run.codons()).toEqual(['a:failed', 'b:completed'])
  })

  test('skips the wait for the next attempt', async () => {
    const run = await startScenario({
      plan: planOf(codonPlan('a', { onFailure: 'retry' }), codonPlan('b')),
      script: id => (id === 'a' ? [{ fail: 'overloaded', retriable: true }] : undefined),
    })
    await run.clock.untilSleepers(1)
    await run.send('codon.skip')
    expect(await run.runner.done).toEqual({ status: 'completed' })
    expect(run.codons()).toEqual(['a:failed', 'a:skipped', 'b:completed'])
  })

  test('ends the server while a codon runs; the codon runs again when the execution is resumed', async () => {
    const plan = planOf(codonPlan('a'), codonPlan('b'), codonPlan('c'))
    const first = await startScenario({
      plan,
      script: id => (id === 'b' ? [{ say: 'working' }, { hang: true }] : undefined),
    })
    await first.until(
      'assistant.action',
      event => event.type === 'assistant.action' && event.data.codonId === 'b',
    )
    await first.send('server.shutdown')
    expect(await first.runner.done).toMatchObject({ status: 'stopped' })
    await first.close()
    expect(first.codons()).toEqual(['a:completed', 'b:failed'])
    const second = await startScenario({ plan, from: first })
    expect(await second.runner.done).toEqual({ status: 'completed' })
    expect(second.codons()).toEqual(['b:completed', 'c:completed'])
  })
})

describe('an agent', () => {
  test('that falls silent is stopped as a retriable timeout, but not while a tool is at work', async () => {
    const plan = planOf(
      codonPlan('a', { idleTimeoutMs: 10_000, onFailure: 'ignore' }),
      codonPlan('b', { idleTimeoutMs: 10_000 }),
    )
    const run = await startScenario({
      plan,
      script: id => [{ say: 'hm' }, id === 'a' ? { hang: true } : { hangInTool: 'make' }],
    })
    await run.until('assistant.action')
    await run.clock.advance(11_000)
    await run.until(
      'assistant.action',
      event => event.type === 'assistant.action' && event.data.action === 'tool_use',
    )
    expect(run.recorder.state.runs[0]?.codons[0]).toMatchObject({
      status: 'failed',
      failureReason: { type: 'timeout', retriable: true },
    })
    await run.clock.advance(29 * 60_000)
    expect(run.codons()).toEqual(['a:failed', 'b:running'])
    await run.clock.advance(2 * 60_000)
    expect(await run.runner.done).toMatchObject({ status: 'failed' })
  })

  test('goes on with exhaustWithPrompt until the limit, in one session', async () => {
    const run = await startScenario({
      plan: planOf(codonPlan('a', { exhaustWithPrompt: 'and on', maxExtensions: 3 })),
      script: (_id, _call, turn) => [
        { say: `turn ${turn}` },
        { usage: { input: 10, output: 1, dollars: 0.01 } },
      ],
    })
    expect(await run.runner.done).toEqual({ status: 'completed' })
    expect(run.recorder.state.runs[0]?.codons[0]).toMatchObject({
      extensionCount: 3,
      assistantMessageCount: 4,
      cost: 0.04,
    })
    expect(run.types().filter(type => type === 'codon.extended').length).toBe(3)
  })

  test('with exhaustWithPrompt completes when the context is full; any other fails', async () => {
    const overflow = () => [{ contextFull: true } as const]
    const good = await startScenario({
      plan: planOf(codonPlan('a', { exhaustWithPrompt: 'on' })),
      script: overflow,
    })
    expect(await good.runner.done).toEqual({ status: 'completed' })
    expect(good.recorder.state.runs[0]?.codons[0]).toMatchObject({ contextExceeded: true })
    const bad = await startScenario({ plan: planOf(codonPlan('a')), script: overflow })
    expect(await bad.runner.done).toMatchObject({ status: 'failed' })
  })

  test('that continues gets the session of the nearest earlier codon; without one it fails with a clear reason', async () => {
    const run = await startScenario({
      plan: planOf(codonPlan('a'), codonPlan('b', { continuation: 'continue-previous' })),
    })
    await run.runner.done
    const session = run.recorder.state.runs[0]?.codons[0]
    expect(run.specs[1]?.previousSessionId).toBe(
      session && 'sessionId' in session ? session.sessionId : 'none',
    )
    const lost = await startScenario({
      plan: planOf(
        codonPlan('a', { onFailure: 'ignore' }),
        codonPlan('b', { continuation: 'continue-previous' }),
      ),
      ports: {
        runRig: async ({ codon }) =>
          codon.id === 'a' ? { ok: false, message: 'no luck', retriable: false } : { ok: true },
      },
    })
    expect(await lost.runner.done).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('no session to continue'),
    })
  })
})

describe('what surrounds the agent', () => {
  test('a rig that fails fails the codon before the agent starts', async () => {
    const run = await startScenario({
      plan: planOf(codonPlan('a')),
      ports: { runRig: async () => ({ ok: false, message: 'npm ci ended with 1', retriable: true }) },
    })
    expect(await run.runner.done).toMatchObject({ status: 'failed', reason: 'a: npm ci ended with 1' })
    expect(run.specs).toEqual([])
  })

  test('output copying that fails fails the run, whatever onFailure says', async () => {
    const run = await startScenario({
      plan: planOf(codonPlan('a', { onFailure: 'ignore' }), codonPlan('b')),
      ports: { copyOutputs: async () => ({ ok: false, message: 'the disk is full' }) },
    })
    expect(await run.runner.done).toMatchObject({ status: 'failed', reason: 'a: the disk is full' })
    expect(run.codons()).toEqual(['a:failed'])
  })
})
