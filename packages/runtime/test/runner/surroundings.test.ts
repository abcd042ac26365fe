import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { codonPlan, loopPlan, planOf } from './plans.ts'
import { type Scenario, startScenario } from './scenario.ts'

const statusOf = (run: Scenario) => run.recorder.state.runs.at(-1)?.codons.at(-1)?.status

describe('what surrounds the agent', () => {
  test('a rig that fails fails the codon before the agent starts', async () => {
    const run = await startScenario({
      plan: planOf(codonPlan('a')),
      effects: { runRig: async () => ({ ok: false, message: 'npm ci ended with 1', retriable: true }) },
    })
    expect(await run.runner.done).toMatchObject({ status: 'failed', reason: 'a: npm ci ended with 1' })
    expect(run.specs).toEqual([])
  })

  verifies(
    ['d8/output-after-success', 'd8/output-before-completed'],
    'outputs are copied after the agent did well, before the codon is called completed, and then archived',
    async () => {
      const seen: string[] = []
      const note = (what: string) => {
        seen.push(`${what} ${statusOf(run)}`)
        return { ok: true, files: [] } as const
      }
      const run = await startScenario({
        plan: planOf(
          codonPlan('bad', { onFailure: 'ignore', archiveOnSuccess: ['*'] }),
          codonPlan('good', { archiveOnSuccess: ['*'] }),
        ),
        script: id => (id === 'bad' ? [{ fail: 'nope', retriable: false }] : undefined),
        effects: {
          copyOutputs: async ({ runtimeId }) => note(`outputs of ${runtimeId}`),
          archive: async owner => note(`archive of ${owner}`),
          checkpoint: async (type, { runtimeId }) => {
            note(`${type} of ${runtimeId}`)
            return undefined
          },
        },
      })
      expect(await run.runner.done).toEqual({ status: 'completed' })
      expect(seen).toEqual([
        'error of bad running',
        'outputs of good completing-sentinels',
        'archive of good completing-sentinels',
        'completed of good completing-sentinels',
      ])
    },
  )

  test('output copying that fails fails the run, whatever onFailure says', async () => {
    const run = await startScenario({
      plan: planOf(codonPlan('a', { onFailure: 'ignore' }), codonPlan('b')),
      effects: { copyOutputs: async () => ({ ok: false, message: 'the disk is full' }) },
    })
    expect(await run.runner.done).toMatchObject({ status: 'failed', reason: 'a: the disk is full' })
    expect(run.codons()).toEqual(['a:failed'])
  })

  verifies(
    ['2.7/archive-once', 'd11/archive-completed'],
    'a loop is archived once, when it ends at its limit or with a full context',
    async () => {
      const archived: string[] = []
      const limited = { ...loopPlan('fix', 3, [codonPlan('x'), codonPlan('y')]), archiveOnSuccess: ['*'] }
      const full = { ...loopPlan('read', null, [codonPlan('u'), codonPlan('v')]), archiveOnSuccess: ['*'] }
      const run = await startScenario({
        plan: planOf(limited, full),
        script: id => (id === 'u#2' ? [{ contextFull: true }] : undefined),
        effects: {
          archive: async (owner, _patterns, { runtimeId }) => {
            archived.push(`${owner} at ${runtimeId}`)
            return { ok: true, files: ['notes.md'] }
          },
        },
      })
      expect(await run.runner.done).toEqual({ status: 'completed' })
      expect(archived).toEqual(['fix at y#2', 'read at u#2'])
      expect(run.told('archive.completed')).toEqual([
        { ownerId: 'fix', files: ['notes.md'] },
        { ownerId: 'read', files: ['notes.md'] },
      ])
    },
  )

  test('a fault of our own ends the codon, not the server', async () => {
    const run = await startScenario({
      plan: planOf(codonPlan('a', { onFailure: 'ignore' }), codonPlan('b')),
      effects: {
        promptOf: async ({ runtimeId }) => {
          if (runtimeId === 'a') throw new Error('no such luck')
          return { ok: true, prompt: 'go' }
        },
      },
    })
    expect(await run.runner.done).toEqual({ status: 'completed' })
    expect(run.codons()).toEqual(['a:failed', 'b:completed'])
    expect(run.recorder.state.runs[0]?.codons[0]).toMatchObject({
      failureReason: { message: 'A fault inside weave: no such luck', retriable: false },
    })
  })

  test('a stop in every phase ends the codon there, and nothing later is done', async () => {
    for (const phase of ['watch', 'rig', 'prompt'] as const) {
      const later: string[] = []
      const stopAt = async (here: typeof phase) => {
        if (here === phase) await run.send('codon.skip')
        else later.push(here)
      }
      const run = await startScenario({
        plan: planOf(codonPlan('a')),
        headless: false,
        effects: {
          watch: () => stopAt('watch'),
          runRig: async () => {
            await stopAt('rig')
            return { ok: true }
          },
          promptOf: async () => {
            await stopAt('prompt')
            return { ok: true, prompt: 'go' }
          },
        },
      })
      run.runner.clientArrived()
      await run.untilIdle('all-codons-completed')
      expect(run.codons()).toEqual(['a:skipped'])
      expect(run.specs).toEqual([])
      expect(later).toEqual({ watch: ['rig'], rig: ['watch'], prompt: ['watch', 'rig'] }[phase])
    }
  })
})

describe('snapshots', () => {
  verifies(
    ['d5/snapshot-after-codon'],
    'follow every codon, also the last one and with a slow file tree',
    async () => {
      const run = await startScenario({
        plan: planOf(codonPlan('a'), codonPlan('b')),
        effects: {
          fileTree: async () => {
            for (let n = 0; n < 5; n++) await new Promise(resolve => setImmediate(resolve))
            return []
          },
        },
      })
      await run.runner.done
      const order = run.events.flatMap(event =>
        event.type === 'codon.completed' || event.type === 'state.snapshot' ? [event.type] : [],
      )
      expect(order.at(-1)).toBe('state.snapshot')
      expect(
        run
          .told('state.snapshot')
          .at(-1)
          ?.completedCodons.map(({ codonId }) => codonId),
      ).toEqual(['a', 'b'])
    },
  )

  test('are never older than their place in the journal', async () => {
    const run = await startScenario({
      plan: planOf(codonPlan('a'), codonPlan('b')),
      script: id => (id === 'b' ? [{ say: 'hm' }, { hang: true }] : undefined),
      effects: {
        fileTree: async () => {
          await run.until(
            'assistant.action',
            event => event.type === 'assistant.action' && event.data.codonId === 'b',
          )
          return []
        },
      },
    })
    await run.until('state.snapshot')
    expect(run.told('state.snapshot')).toMatchObject([
      { currentCodon: { codonId: 'b', status: 'running' }, completedCodons: [{ codonId: 'a' }] },
    ])
    expect(await run.runner.snapshot()).toMatchObject({
      currentCodon: { codonId: 'b' },
      isRollingBack: false,
    })
  })

  verifies(
    ['d5/snapshot-interval', '6/state-snapshot-periodic'],
    'come every 30 s while a codon runs, if something happened',
    async () => {
      let tick: (() => void) | undefined
      const run = await startScenario({
        plan: planOf(codonPlan('a', { idleTimeoutMs: 3_600_000 })),
        effects: {
          harnessFor: () => ({
            async *start(_spec, signal) {
              yield { type: 'session', sessionId: 's1' }
              while (!signal.aborted) {
                yield { type: 'text', text: 'hm' }
                await new Promise<void>(resolve => {
                  tick = resolve
                  signal.addEventListener('abort', () => resolve(), { once: true })
                })
              }
              yield { type: 'ended', end: { ok: true } }
            },
          }),
        },
      })
      const snapshots = () => run.told('state.snapshot').length
      await run.until('assistant.action')
      await run.clock.advance(29_999)
      expect(snapshots()).toBe(0)
      await run.clock.advance(1)
      expect(snapshots()).toBe(1)
      await run.clock.advance(90_000)
      expect(snapshots()).toBe(1)
      tick?.()
      await run.clock.advance(30_000)
      expect(snapshots()).toBe(2)
    },
  )
})

describe('a wall clock that jumps', () => {
  test('makes no wait shorter, no duration negative and changes no order', async () => {
    const run = await startScenario({
      plan: planOf(
        loopPlan('l', 2, [codonPlan('a', { onFailure: 'retry', idleTimeoutMs: 10_000 })]),
        codonPlan('b', { idleTimeoutMs: 10_000 }),
      ),
      script: (_, call) => (call === 0 ? [{ say: 'hm' }, { hang: true }] : undefined),
      headless: false,
    })
    run.runner.clientArrived()
    const hours = [5, -48, 26, -3, 100, -200]
    for (const jump of hours) {
      await run.clock.advance(9_000)
      run.clock.jumpWall(jump * 3_600_000)
    }
    await run.untilIdle('codon-completed')
    expect(run.codons()).toEqual(['a#0:failed', 'a#0:completed', 'a#1:failed', 'a#1:completed', 'b:failed'])
    const durations = run.events.flatMap(({ data }) => ('duration' in data ? [data.duration] : []))
    expect(durations.length).toBeGreaterThan(7)
    for (const duration of durations) expect(duration).toBeGreaterThanOrEqual(0)
    expect(run.told('codon.completed').map(({ duration }) => duration)).toEqual([
      10_000, 0, 10_000, 0, 10_000,
    ])
    expect(run.events.map(({ seq }) => seq)).toEqual(run.events.map((_, at) => at + 1))
  })
})
