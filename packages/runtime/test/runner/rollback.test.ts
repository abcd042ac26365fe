import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import type { Plan } from '../../src/plan/index.ts'
import { codonPlan, loopPlan, planOf } from './plans.ts'
import { type ScenarioOptions, startScenario } from './scenario.ts'
import { createVersions } from './versions.ts'

const refusal = (code: string) => expect.objectContaining({ ok: false, code })
const hang = [{ say: 'working' }, { hang: true }] as const

/** A run over a workspace with versions; each codon leaves its name as the content. */
async function versioned(plan: Plan, more: Partial<ScenarioOptions> = {}) {
  const versions = createVersions()
  const run = await startScenario({
    plan,
    headless: false,
    onPrompt: prompt => versions.write(prompt.replace('work on ', '')),
    ...more,
    effects: { ...versions.effects, ...more.effects },
  })
  run.runner.clientArrived()
  const shaOf = (codonId: string, type: 'rig-setup' | 'completed' | 'error' | 'skipped') => {
    const all = run.recorder.state.runs.flatMap(({ codons }) => codons)
    return all.findLast(codon => codon.codonId === codonId && codon.checkpoints[type])?.checkpoints[type]
  }
  return { ...versions, run, shaOf }
}

const three = planOf(codonPlan('a'), codonPlan('b'), codonPlan('c'))

describe('a rollback', () => {
  verifies(
    [
      '3/rollback-to-codon',
      '3/rollback-auto-restart-false',
      '4.1/rollback-to-codon',
      '4.1/rollback-to-codon-auto-restart',
      '6/rollback-started',
      '6/rollback-progress',
      '6/rollback-codon-checkpoint',
      '6/rollback-completed',
      'd5/snapshot-after-rollback',
      'd7/rollback-new-run',
      'd7/rollback-announced-last',
      'd7/after-codon-end',
    ],
    'to the end of a codon opens a run that goes on after it, and waits',
    async () => {
      const { run, shaOf, workspace, deeds } = await versioned(three)
      await run.untilIdle('all-codons-completed')
      const before = run.events.length
      expect(await run.send('rollback.toCodon', { codonId: 'a', checkpointType: 'completed' })).toEqual({
        ok: true,
      })
      await run.until('rollback.completed')
      await run.untilIdle('codon-completed')
      expect(workspace()).toBe('a')
      const [old, fresh] = run.recorder.state.runs
      const sha = shaOf('a', 'completed')
      expect(run.told('rollback.started')).toEqual([
        {
          fromRun: old?.runId,
          fromCodon: 'c',
          toCodon: 'a',
          toCheckpoint: sha,
          checkpointType: 'completed',
          codonsToProcess: ['c', 'b'],
        },
      ])
      expect(run.told('rollback.progress').map(({ currentStep }) => currentStep)).toEqual([1, 2, 3, 4])
      expect(run.told('rollback.codonCheckpoint').map(({ codonId }) => codonId)).toEqual(['c', 'b', 'a'])
      expect(run.told('rollback.completed')).toEqual([
        {
          fromRun: old?.runId,
          toRun: fresh?.runId,
          checkpoint: sha,
          codonId: 'a',
          codonName: 'a',
          checkpointType: 'completed',
          autoRestart: false,
        },
      ])
      expect(fresh).toMatchObject({
        status: 'running',
        startedFrom: { type: 'continuation', runId: old?.runId, codonId: 'a', checkpoint: sha },
        initialCheckpoint: sha,
        codons: [],
      })
      const order = run.events
        .slice(before)
        .map(({ type, data }) => ('transitionType' in data ? data.transitionType : type))
      expect(order.indexOf('rollback.started')).toBeLessThan(order.indexOf('RunStarted'))
      expect(order.indexOf('RunStarted')).toBeLessThan(order.indexOf('rollback.completed'))
      expect(order.indexOf('rollback.completed')).toBeLessThan(order.indexOf('state.snapshot'))
      expect(deeds.at(-1)).toBe('intent done')
      await run.send('codon.next')
      await run.untilIdle('all-codons-completed', 1)
      expect(run.codons()).toEqual(['b:completed', 'c:completed'])
    },
  )

  verifies(
    ['3/rollback-auto-restart-true', '3/rollback-to-last-success', '4.1/rollback-to-last-success'],
    'with autoRestart starts what comes after the last success',
    async () => {
      const { run, workspace } = await versioned(three, {
        script: (codonId, call) =>
          codonId === 'b' && call === 0 ? [{ fail: 'bad luck', retriable: true }] : undefined,
      })
      await run.untilIdle('codon-completed')
      expect(workspace()).toBe('b')
      await run.send('rollback.toLastSuccess', { autoRestart: true })
      await run.untilIdle('all-codons-completed')
      expect(run.told('rollback.started')[0]).toMatchObject({ toCodon: 'a', codonsToProcess: ['b'] })
      expect(run.codons()).toEqual(['b:completed', 'c:completed'])
    },
  )

  verifies(
    ['d7/rollback-safety-checkpoint', 'd7/rollback-intent'],
    'takes a safety checkpoint and writes its intent before it restores',
    async () => {
      const { run, deeds, shaOf } = await versioned(three)
      await run.untilIdle('all-codons-completed')
      deeds.length = 0
      await run.send('rollback.toCodon', { codonId: 'b', checkpointType: 'end' })
      await run.until('rollback.completed')
      const sha = shaOf('b', 'completed')
      expect(deeds.map(deed => deed.replace(/^safety .*/, 'safety'))).toEqual([
        'safety',
        'intent',
        `restore ${sha}`,
        'archives c',
        'sync',
        'intent done',
      ])
    },
  )

  verifies(
    ['d7/rollback-stops-codon', '7.1/code-rollback-in-progress', '3/start-not-during-rollback'],
    'stops the running codon first, and holds off every steering command until it is done',
    async () => {
      let go = (): void => undefined
      const { run, holdRestoreUntil } = await versioned(three, {
        script: codonId => (codonId === 'b' ? hang : undefined),
      })
      holdRestoreUntil(new Promise(resolve => (go = resolve)))
      await run.until(
        'assistant.action',
        event => event.type === 'assistant.action' && event.data.codonId === 'b',
      )
      expect(await run.send('rollback.toLastSuccess')).toEqual({ ok: true })
      await run.until('rollback.started')
      expect(run.codons()).toEqual(['a:completed', 'b:failed'])
      for (const type of ['codon.next', 'codon.redo', 'codon.skip', 'codon.forceStop'] as const)
        expect(await run.send(type)).toEqual(refusal('ROLLBACK_IN_PROGRESS'))
      expect(await run.send('rollback.toLastSuccess')).toEqual(refusal('ROLLBACK_IN_PROGRESS'))
      expect(await run.send('codon.start', { codonId: 'a' })).toEqual(refusal('ROLLBACK_IN_PROGRESS'))
      go()
      await run.until('rollback.completed')
      await run.untilIdle('codon-completed')
      expect(run.told('rollback.started')[0]?.codonsToProcess).toEqual(['b'])
    },
  )

  verifies(
    ['3/alias-start-rig-setup', 'd7/after-rig-setup', 'd14/rollback-rig-setup-keeps-rig'],
    'to start goes to the rig when there is one, leaves what it did, and the codon runs again without it',
    async () => {
      const rig = [{ type: 'command', command: { run: 'true', workingDirectory: 'project' } }] as const
      const rigs: string[] = []
      const {
        run,
        shaOf,
        deeds,
        rigs: made,
      } = await versioned(planOf(codonPlan('a'), codonPlan('b', { rig })), {
        effects: {
          runRig: async ({ runtimeId }) => {
            rigs.push(runtimeId)
            return { ok: true }
          },
        },
      })
      await run.untilIdle('all-codons-completed')
      const sha = shaOf('b', 'rig-setup')
      expect(rigs).toEqual(['a', 'b'])
      made.set('b', ['of-b'])
      await run.send('rollback.toCodon', { codonId: 'b', checkpointType: 'start', autoRestart: true })
      await run.untilIdle('all-codons-completed', 1)
      expect(run.told('rollback.completed')[0]).toMatchObject({
        checkpoint: sha,
        checkpointType: 'rig-setup',
      })
      expect(rigs).toEqual(['a', 'b'])
      expect(run.codons()).toEqual(['b:completed'])
      expect(deeds).toContain('rig b')
      expect(deeds).not.toContain('clean of-b')
      expect(run.told('rollback.rigCleanup')).toEqual([])
    },
  )

  verifies(
    ['3/alias-start-previous-completed'],
    'to start without a rig goes to the end of the codon before',
    async () => {
      const { run, shaOf } = await versioned(three)
      await run.untilIdle('all-codons-completed')
      await run.send('rollback.toCodon', { codonId: 'b', checkpointType: 'start' })
      await run.until('rollback.completed')
      expect(run.told('rollback.completed')[0]).toMatchObject({
        codonId: 'a',
        checkpoint: shaOf('a', 'completed'),
      })
    },
  )

  test('to the start of the first codon goes to the very beginning', async () => {
    const { run, workspace, first } = await versioned(three)
    await run.untilIdle('all-codons-completed')
    await run.send('rollback.toCodon', { codonId: 'a', checkpointType: 'start', autoRestart: true })
    await run.until('rollback.completed')
    expect(run.told('rollback.completed')[0]).toMatchObject({ codonId: 'a', checkpoint: first })
    await run.untilIdle('all-codons-completed', 1)
    expect(run.codons()).toEqual(['a:completed', 'b:completed', 'c:completed'])
    expect(workspace()).toBe('c')
  })

  verifies(
    ['3/alias-end'],
    'to end goes to the error or the skipped checkpoint when that is how it ended',
    async () => {
      const { run, shaOf } = await versioned(
        planOf(codonPlan('a', { onFailure: 'ignore' }), codonPlan('b'), codonPlan('c')),
        {
          script: codonId =>
            codonId === 'a' ? [{ fail: 'no', retriable: false }] : codonId === 'b' ? hang : undefined,
        },
      )
      await run.until(
        'assistant.action',
        event => event.type === 'assistant.action' && event.data.codonId === 'b',
      )
      await run.send('codon.skip')
      await run.untilIdle('all-codons-completed')
      await run.send('rollback.toCodon', { codonId: 'b', checkpointType: 'end' })
      await run.until('rollback.completed')
      expect(run.told('rollback.completed')[0]).toMatchObject({
        checkpoint: shaOf('b', 'skipped'),
        checkpointType: 'skipped',
      })
      await run.send('rollback.toCodon', { codonId: 'a', checkpointType: 'end', autoRestart: true })
      await run.until('rollback.completed', () => run.told('rollback.completed').length === 2)
      expect(run.told('rollback.completed')[1]).toMatchObject({
        checkpoint: shaOf('a', 'error'),
        checkpointType: 'error',
      })
      await run.until(
        'assistant.action',
        event => event.type === 'assistant.action' && event.data.codonId === 'b',
        run.events.length,
      )
      expect(run.codons()).toEqual(['b:running'])
    },
  )

  verifies(
    [
      '3/rollback-to-checkpoint',
      '4.1/rollback-to-checkpoint',
      'd7/rollback-sha-prefix',
      'd5/error-ambiguous-checkpoint',
    ],
    'by sha takes a unique prefix, and only of checkpoints that the state knows',
    async () => {
      const { run, shaOf } = await versioned(three)
      await run.untilIdle('all-codons-completed')
      const sha = shaOf('b', 'completed') ?? ''
      const ask = (checkpointSha: string) => run.send('rollback.toCheckpoint', { checkpointSha })
      expect(await ask('ffffffff')).toEqual(refusal('UNKNOWN_CHECKPOINT'))
      expect(await ask(sha.slice(0, 5))).toEqual(refusal('AMBIGUOUS_CHECKPOINT'))
      expect(await ask(sha.toUpperCase())).toEqual({ ok: true })
      await run.until('rollback.completed')
      expect(run.told('rollback.completed')[0]).toMatchObject({ codonId: 'b', checkpoint: sha })
    },
  )

  test('that names what there is not leaves everything as it is', async () => {
    const { run, deeds } = await versioned(three, { script: codonId => (codonId === 'a' ? hang : undefined) })
    await run.until('assistant.action')
    const before = deeds.length
    expect(await run.send('rollback.toCodon', { codonId: 'x', checkpointType: 'end' })).toEqual(
      refusal('UNKNOWN_CODON'),
    )
    expect(await run.send('rollback.toCodon', { codonId: 'a', checkpointType: 'error' })).toEqual(
      refusal('UNKNOWN_CHECKPOINT'),
    )
    expect(await run.send('rollback.toLastSuccess')).toEqual(refusal('UNKNOWN_CHECKPOINT'))
    expect(run.codons()).toEqual(['a:running'])
    expect(deeds.length).toBe(before)
  })

  test('inside a loop names the iteration, or by the codon alone the last one', async () => {
    const plan = planOf(loopPlan('l', 3, [codonPlan('a'), codonPlan('b')]), codonPlan('z'))
    const { run, shaOf } = await versioned(plan)
    await run.untilIdle('all-codons-completed')
    await run.send('rollback.toCodon', { codonId: 'b', checkpointType: 'completed' })
    await run.until('rollback.completed')
    expect(run.told('rollback.completed')[0]).toMatchObject({
      codonId: 'b#2',
      checkpoint: shaOf('b#2', 'completed'),
    })
    await run.send('rollback.toCodon', { codonId: 'a#1', checkpointType: 'completed', autoRestart: true })
    await run.untilIdle('all-codons-completed', 1)
    expect(run.codons()).toEqual(['b#1:completed', 'a#2:completed', 'b#2:completed', 'z:completed'])
  })

  test('whose restoring fails puts the workspace back and stays in its run', async () => {
    const { run, shaOf, workspace, failWhen, intent } = await versioned(three)
    await run.untilIdle('all-codons-completed')
    const sha = shaOf('a', 'completed')
    failWhen(wanted => (wanted === sha ? 'The disk is full.' : undefined))
    await run.send('rollback.toCodon', { codonId: 'a', checkpointType: 'end' })
    await run.untilIdle('codon-completed')
    expect(workspace()).toBe('c')
    expect(intent()).toBeUndefined()
    expect(run.recorder.state.runs).toHaveLength(1)
    expect(run.told('error').at(-1)).toMatchObject({
      severity: 'operation',
      message: 'The disk is full. The workspace is as it was before.',
    })
    expect(run.told('rollback.completed')).toEqual([])
  })

  verifies(
    ['attack/mount-point'],
    'that can be neither finished nor taken back keeps its intent and ends the run: nothing goes on in between',
    async () => {
      const { run, failWhen, intent, deeds } = await versioned(three)
      await run.untilIdle('all-codons-completed')
      failWhen(() => 'deep/point cannot be removed.')
      await run.send('rollback.toCodon', { codonId: 'a', checkpointType: 'end', autoRestart: true })
      expect(await run.runner.done).toEqual({
        status: 'failed',
        reason:
          'deep/point cannot be removed. The workspace could not be put back either: deep/point cannot be removed. The next start finishes the rollback.',
      })
      expect(intent()).toBeDefined()
      expect(deeds).not.toContain('intent done')
      expect(run.told('rollback.completed')).toEqual([])
    },
  )

  verifies(['d14/snapshot-after-rollback'], 'tells all changes of files before the snapshot', async () => {
    let settled = 0
    const { run } = await versioned(three, { effects: { settleFiles: async () => void settled++ } })
    await run.untilIdle('all-codons-completed')
    const before = settled
    await run.send('rollback.toCodon', { codonId: 'a', checkpointType: 'end' })
    await run.until('rollback.completed')
    expect(settled).toBe(before + 1)
  })

  test('is finished before a shutdown that comes meanwhile', async () => {
    let go = (): void => undefined
    const { run, holdRestoreUntil, intent } = await versioned(three)
    await run.untilIdle('all-codons-completed')
    holdRestoreUntil(new Promise(resolve => (go = resolve)))
    await run.send('rollback.toLastSuccess', { autoRestart: true })
    await run.until('rollback.started')
    await run.send('server.shutdown')
    expect(intent()).toBeDefined()
    go()
    expect((await run.runner.done).status).toBe('stopped')
    expect(intent()).toBeUndefined()
    expect(run.recorder.state.runs.map(({ status }) => status)).toEqual(['completed', 'stopped'])
  })

  test('gives way to a shutdown while the codon is still being stopped', async () => {
    const { run, deeds } = await versioned(three, { script: codonId => (codonId === 'b' ? hang : undefined) })
    await run.until(
      'assistant.action',
      event => event.type === 'assistant.action' && event.data.codonId === 'b',
    )
    const asked = run.send('rollback.toLastSuccess')
    const down = run.send('server.shutdown')
    await Promise.all([asked, down])
    expect((await run.runner.done).status).toBe('stopped')
    expect(deeds.filter(deed => deed.startsWith('safety'))).toEqual([])
  })

  verifies(
    [
      '6/rollback-rig-cleanup',
      '6/rollback-rig-cleanup-status-enum',
      '6/rollback-rig-cleanup-failed-cleanups',
    ],
    'takes what the rigs of undone codons had copied out of the way and says how that went',
    async () => {
      const { run, rigs } = await versioned(
        planOf(codonPlan('a'), codonPlan('b'), codonPlan('c'), codonPlan('d')),
      )
      rigs.set('a', ['kept']).set('b', ['one', 'two']).set('c', ['three', 'stuck-1']).set('d', ['stuck-2'])
      await run.untilIdle('all-codons-completed')
      await run.send('rollback.toCodon', { codonId: 'a', checkpointType: 'end' })
      await run.until('rollback.completed')
      const name = (id: string) => ({ codonId: id, codonName: id })
      const busy = (directory: string) => ({ directory, error: 'busy' })
      expect(run.told('rollback.rigCleanup')).toEqual([
        { ...name('d'), directories: ['stuck-2'], status: 'started' },
        {
          ...name('d'),
          directories: ['stuck-2'],
          status: 'failed',
          successfulCleanups: [],
          failedCleanups: [busy('stuck-2')],
        },
        { ...name('c'), directories: ['three', 'stuck-1'], status: 'started' },
        {
          ...name('c'),
          directories: ['three', 'stuck-1'],
          status: 'partial',
          successfulCleanups: ['three'],
          failedCleanups: [busy('stuck-1')],
        },
        { ...name('b'), directories: ['one', 'two'], status: 'started' },
        {
          ...name('b'),
          directories: ['one', 'two'],
          status: 'completed',
          successfulCleanups: ['one', 'two'],
        },
      ])
      expect(run.told('info')).toEqual([
        { message: 'What the rig of c had made is now in /removed: three.' },
        { message: 'What the rig of b had made is now in /removed: one, two.' },
      ])
    },
  )

  verifies(['d8/rollback-session'], 'continues the session as it was at the target', async () => {
    const plan = planOf(
      codonPlan('a'),
      codonPlan('b', { continuation: 'continue-previous' }),
      codonPlan('c', { continuation: 'continue-previous' }),
    )
    const { run } = await versioned(plan)
    await run.untilIdle('all-codons-completed')
    const sessionOf = (id: string) =>
      run.told('codon.started').find(({ codonId }) => codonId === id)?.sessionId
    const first = sessionOf('a')
    await run.send('rollback.toCodon', { codonId: 'a', checkpointType: 'end', autoRestart: true })
    await run.untilIdle('all-codons-completed', 1)
    const again = run.told('codon.started').filter(({ codonId }) => codonId === 'b')
    expect(again.map(({ previousSessionId }) => previousSessionId)).toEqual([first, first])
  })

  verifies(['d9/ledger-rollback'], 'leaves the money of what it undoes spent', async () => {
    const { run } = await versioned(three, {
      script: () => [{ usage: { input: 1, output: 1, dollars: 0.5 } }],
    })
    await run.untilIdle('all-codons-completed')
    await run.send('rollback.toCodon', { codonId: 'a', checkpointType: 'end', autoRestart: true })
    await run.untilIdle('all-codons-completed', 1)
    expect(run.recorder.state.totalCost).toBeCloseTo(2.5, 12)
  })
})

describe('retrying', () => {
  test('begins from the version that the codon began with, every time', async () => {
    const { run, deeds, shaOf } = await versioned(
      planOf(
        codonPlan('a'),
        codonPlan('b', { onFailure: 'retry', retry: { maxAttempts: 3, delayMs: 0, maxDelayMs: 0 } }),
      ),
      {
        script: (codonId, call) =>
          codonId === 'b' && call < 2 ? [{ fail: 'x', retriable: true }] : undefined,
      },
    )
    await run.until('codon.retrying')
    await run.clock.advance(1)
    await run.until('codon.retrying', () => run.told('codon.retrying').length === 2)
    await run.clock.advance(1)
    await run.untilIdle('all-codons-completed')
    const start = shaOf('a', 'completed')
    expect(deeds.filter(deed => deed.startsWith('restore'))).toEqual([`restore ${start}`, `restore ${start}`])
  })

  test('does not go on in a workspace that could not be put back', async () => {
    const { run, failWhen } = await versioned(
      planOf(codonPlan('a', { onFailure: 'retry', retry: { maxAttempts: 3, delayMs: 0, maxDelayMs: 0 } })),
      { script: () => [{ fail: 'x', retriable: true }] },
    )
    failWhen(() => 'The disk is full.')
    await run.until('codon.retrying')
    await run.clock.advance(1)
    await run.untilIdle('codon-completed')
    expect(run.codons()).toEqual(['a:failed'])
    expect(run.told('error').at(-1)).toMatchObject({ message: 'The disk is full.' })
  })
})

describe('the list of checkpoints', () => {
  verifies(
    ['2.13/checkpoint-info-status'],
    'has those of one run in order, with the time of each, and knows no other run',
    async () => {
      const { run, shaOf } = await versioned(
        planOf(codonPlan('a'), codonPlan('b', { onFailure: 'ignore' })),
        {
          script: id => (id === 'b' ? [{ fail: 'bad luck', retriable: false }] : undefined),
        },
      )
      await run.untilIdle('all-codons-completed')
      const { runId = '', gitBranch } = run.recorder.state.runs[0] ?? {}
      const one = (codonId: string, checkpointType: 'completed' | 'error', status: string) => ({
        codonId,
        codonName: codonId,
        checkpointType,
        sha: shaOf(codonId, checkpointType),
        status,
        timestamp: '2026-01-02T03:04:05.000Z',
      })
      expect(await run.runner.checkpoints(runId)).toEqual({
        runId,
        checkpoints: [one('a', 'completed', 'completed'), one('b', 'error', 'failed')],
        currentBranch: gitBranch,
      })
      expect(await run.runner.checkpoints('other')).toBeUndefined()
    },
  )
})
