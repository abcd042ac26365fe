import { describe, expect } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import type { BorderWord, Step } from '../../src/runner/index.ts'
import { codonPlan, planOf } from './plans.ts'
import { startScenario } from './scenario.ts'

const plan = planOf(codonPlan('a'), codonPlan('b'), codonPlan('c'))

/** A port that is answered by hand, with what it was asked. */
function port() {
  const asked: { readonly name: string; readonly signal: AbortSignal }[] = []
  const waiting: ((word: BorderWord) => void)[] = []
  let wake: () => void = () => undefined
  return {
    asked,
    names: () => asked.map(({ name }) => name),
    ask: (step: { readonly codonId: string; readonly attempt: number }, signal: AbortSignal) =>
      new Promise<BorderWord>(resolve => {
        asked.push({ name: `${step.codonId}/${step.attempt}`, signal })
        signal.addEventListener('abort', () => resolve({ kind: 'go' }))
        waiting.push(resolve)
        wake()
      }),
    async next(): Promise<(word: BorderWord) => void> {
      if (waiting.length === 0)
        await new Promise<void>(resolve => {
          wake = resolve
        })
      return waiting.shift() ?? (() => undefined)
    },
  }
}

const go: BorderWord = { kind: 'go' }

describe('the border between codons', () => {
  verifies(['moves/hand-over'], 'nothing follows before the hand-over is answered', async () => {
    const over = port()
    const scenario = await startScenario({ plan, border: { handOver: over.ask } })
    for (const codons of [['a'], ['a', 'b'], ['a', 'b', 'c']]) {
      const answer = await over.next()
      expect(scenario.codons()).toEqual(codons.map(id => `${id}:completed`))
      expect(scenario.told('codon.completed')).toHaveLength(codons.length)
      expect(scenario.told('run.completed')).toEqual([])
      answer(go)
    }
    expect(await scenario.runner.done).toEqual({ status: 'completed' })
    expect(over.names()).toEqual(['a/1', 'b/1', 'c/1'])
  })

  verifies(['moves/hand-over'], 'an attempt that failed is handed over as such', async () => {
    const steps: string[] = []
    const handOver = async ({ attempt, hasFailed }: Step): Promise<BorderWord> => {
      steps.push(`${attempt}${hasFailed ? ' failed' : ''}`)
      return go
    }
    const retry = { maxAttempts: 2, delayMs: 1, maxDelayMs: 1 }
    const scenario = await startScenario({
      plan: planOf(codonPlan('a', { onFailure: 'retry', retry })),
      border: { handOver },
      script: (_id, call) => (call === 0 ? [{ fail: 'busy', retriable: true }] : undefined),
    })
    await scenario.clock.untilSleepers(1)
    await scenario.clock.advance(1)
    await scenario.runner.done
    expect(steps).toEqual(['1 failed', '2'])
  })

  verifies(
    ['moves/leave'],
    'leaving at the border stops the run; the next start goes on after it',
    async () => {
      const leave = async ({ codonId }: { readonly codonId: string }): Promise<BorderWord> =>
        codonId === 'b' ? { kind: 'leave', reason: 'drained' } : go
      const first = await startScenario({ plan, border: { handOver: leave } })
      expect(await first.runner.done).toEqual({ status: 'stopped', reason: 'drained' })
      expect(first.codons()).toEqual(['a:completed', 'b:completed'])
      await first.close()
      const second = await startScenario({ plan, from: first, border: { handOver: leave } })
      expect(await second.runner.done).toEqual({ status: 'completed' })
      expect(second.codons()).toEqual(['c:completed'])
    },
  )

  verifies(['moves/leave'], 'one who leaves after the last codon has done the hank', async () => {
    const border = { handOver: async (): Promise<BorderWord> => ({ kind: 'leave', reason: 'lost' }) }
    const scenario = await startScenario({ plan: planOf(codonPlan('a')), border })
    expect(await scenario.runner.done).toEqual({ status: 'completed' })
  })

  verifies(['moves/hand-over'], 'a shutdown ends the wait for the hand-over', async () => {
    const over = port()
    const scenario = await startScenario({ plan, border: { handOver: over.ask } })
    await over.next()
    scenario.runner.shutdown('SIGTERM')
    expect(await scenario.runner.done).toEqual({ status: 'stopped', reason: 'SIGTERM' })
    expect(over.asked[0]?.signal.aborted).toBe(true)
    expect(scenario.codons()).toEqual(['a:completed'])
  })

  verifies(['moves/admission'], 'an attempt begins once it is admitted, and not before', async () => {
    const gate = port()
    const scenario = await startScenario({ plan, border: { admission: gate.ask } })
    for (const done of [0, 1, 2]) {
      const answer = await gate.next()
      expect(scenario.codons()).toHaveLength(done)
      answer(go)
    }
    expect(await scenario.runner.done).toEqual({ status: 'completed' })
  })

  verifies(['moves/admission'], 'one that is refused ends the run in good order', async () => {
    const border = {
      admission: async ({ codonId }: { readonly codonId: string }): Promise<BorderWord> =>
        codonId === 'b' ? { kind: 'leave', reason: 'waiting: budget' } : go,
    }
    const scenario = await startScenario({ plan, border })
    expect(await scenario.runner.done).toEqual({ status: 'stopped', reason: 'waiting: budget' })
    expect(scenario.codons()).toEqual(['a:completed'])
  })

  verifies(['moves/admission'], 'a skip and a shutdown count while an attempt waits', async () => {
    const gate = port()
    const scenario = await startScenario({ plan, border: { admission: gate.ask } })
    await gate.next()
    expect(await scenario.send('codon.skip')).toEqual({ ok: true })
    await gate.next()
    expect(scenario.codons()).toEqual(['a:skipped'])
    scenario.runner.shutdown('SIGTERM')
    expect(await scenario.runner.done).toEqual({ status: 'stopped', reason: 'SIGTERM' })
  })
})
