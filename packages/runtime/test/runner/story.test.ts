import { emptyState, reduce, type WeaveState } from '@weave/protocol'
import { describe, expect } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import type { Harness } from '../../src/harness/index.ts'
import { codonPlan, planOf } from './plans.ts'
import { startScenario } from './scenario.ts'

describe('the story of a codon', () => {
  verifies(
    ['d4/move-starting-initializing'],
    'is initializing from the moment its session is launched, and starting before',
    async () => {
      const seen: string[] = []
      const note = (what: string) => seen.push(`${what}: ${run.codons().at(-1)}`)
      const harness: Harness = {
        async *start() {
          note('launched')
          yield { type: 'session', sessionId: 's1' }
          note('known')
          yield { type: 'ended', end: { ok: true } }
        },
      }
      const run = await startScenario({
        plan: planOf(codonPlan('a')),
        effects: {
          harnessFor: () => harness,
          promptOf: async () => {
            note('prompt')
            return { ok: true, prompt: 'x' }
          },
        },
      })
      expect(await run.runner.done).toEqual({ status: 'completed' })
      expect(seen).toEqual(['prompt: a:starting', 'launched: a:initializing', 'known: a:running'])
    },
  )

  verifies(
    ['6/codon-completed-units', '2.3/id-used-at-run-time', '2.3/name-displayed'],
    'names it by its id and shows its name; its end is in dollars and milliseconds',
    async () => {
      const run = await startScenario({
        plan: planOf(codonPlan('draft', { name: 'Write a draft' })),
        headless: false,
        script: () => [{ usage: { input: 1, output: 1, dollars: 0.25 } }, { hang: true }],
        effects: { checkpoint: async () => 'abcdef' },
      })
      run.runner.clientArrived()
      await run.until('token.usage')
      await run.clock.advance(1_500)
      await run.send('codon.forceStop')
      await run.until('codon.completed')
      expect(run.told('codon.started')).toMatchObject([{ codonId: 'draft', codonName: 'Write a draft' }])
      expect(run.told('codon.completed')).toMatchObject([{ codonId: 'draft', cost: 0.25, duration: 1_500 }])
      await run.untilIdle('codon-completed')
      await run.send('rollback.toCodon', { codonId: 'draft', checkpointType: 'end' })
      await run.until('rollback.completed')
      expect(run.told('rollback.completed')).toMatchObject([
        { codonId: 'draft', codonName: 'Write a draft', checkpoint: 'abcdef' },
      ])
      expect(await run.send('rollback.toCodon', { codonId: 'Write a draft', checkpointType: 'end' })).toEqual(
        expect.objectContaining({ ok: false, code: 'UNKNOWN_CODON' }),
      )
    },
  )
})

describe('the state', () => {
  verifies(
    ['d4/reduce-only-source'],
    'is at every moment what reduce has made of the transitions that were told',
    async () => {
      let folded: WeaveState = emptyState
      const states = new Set([JSON.stringify(folded)])
      const strays: number[] = []
      const run = await startScenario({
        plan: planOf(
          codonPlan('a'),
          codonPlan('b', { onFailure: 'retry', retry: { maxAttempts: 2, delayMs: 0, maxDelayMs: 0 } }),
          codonPlan('c'),
        ),
        headless: false,
        script: (id, call) =>
          id === 'b' && call === 0
            ? [{ usage: { input: 1, output: 1, dollars: 0.1 } }, { fail: 'overloaded', retriable: true }]
            : undefined,
        effects: { checkpoint: async () => 'abcdef' },
        onEvent(event) {
          if (event.type === 'state.transition') {
            const reduced = reduce(folded, event.data.transition as Parameters<typeof reduce>[1])
            if (reduced.ok) folded = reduced.state
            states.add(JSON.stringify(folded))
          }
          if (!states.has(JSON.stringify(run.recorder.state))) strays.push(event.seq)
        },
      })
      run.runner.clientArrived()
      await run.until('codon.retrying')
      await run.clock.advance(1)
      await run.untilIdle('all-codons-completed')
      await run.send('codon.redo')
      await run.untilIdle('all-codons-completed', 1)
      await run.send('rollback.toCodon', { codonId: 'a', checkpointType: 'end' })
      await run.until('rollback.completed')
      expect(folded.runs.length).toBe(3)
      expect(strays).toEqual([])
      expect(run.recorder.state).toEqual(folded)
    },
  )
})
