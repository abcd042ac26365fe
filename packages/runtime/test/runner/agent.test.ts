import type { WeaveState } from '@weave/protocol'
import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import type { Harness, HarnessEvent } from '../../src/harness/index.ts'
import { codonPlan, loopPlan, planOf } from './plans.ts'
import { startScenario } from './scenario.ts'

describe('an agent', () => {
  verifies(
    [
      '3/idle-timeout-aborts',
      'd8/retriable-idle-timeout',
      '2.3/shim-idle-timeout-aborts',
      '2.3/shim-idle-timeout-retriable',
    ],
    'that falls silent is stopped as a retriable timeout, but not while a tool is at work',
    async () => {
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
    },
  )

  verifies(
    [
      '3/exhaust-continues',
      '2.3/exhaust-with-prompt',
      '2.3/max-extensions-forces-completion',
      'd11/codon-extended',
      'd5/token-usage-total',
    ],
    'goes on with exhaustWithPrompt until the limit, in one session',
    async () => {
      const prompts: string[] = []
      const run = await startScenario({
        plan: planOf(codonPlan('a', { exhaustWithPrompt: 'and on', maxExtensions: 3 })),
        script: (_id, _call, turn) => [
          { say: `turn ${turn}` },
          { usage: { input: 10, output: 1, dollars: 0.01 } },
        ],
        onPrompt: prompt => prompts.push(prompt),
      })
      expect(await run.runner.done).toEqual({ status: 'completed' })
      expect(prompts).toEqual(['work on a', 'and on', 'and on', 'and on'])
      expect(run.recorder.state.runs[0]?.codons[0]).toMatchObject({
        extensionCount: 3,
        assistantMessageCount: 4,
        cost: 0.04,
      })
      expect(run.told('codon.extended')).toEqual(
        [1, 2, 3].map(extension => ({ codonId: 'a', extension, maxExtensions: 3 })),
      )
      expect(run.told('token.usage').map(({ totalCost }) => totalCost)).toEqual([0.01, 0.02, 0.03, 0.04])
      expect(run.told('codon.started').length).toBe(1)
    },
  )

  verifies(
    [
      'd8/context-exhaust-completes',
      'd8/context-other-fails',
      'd4/exit-status-follows-codon',
      'd8/context-overflow-error',
    ],
    'with exhaustWithPrompt completes when the context is full; any other fails',
    async () => {
      const overflow = () => [{ contextFull: true } as const]
      const good = await startScenario({
        plan: planOf(codonPlan('a', { exhaustWithPrompt: 'on' })),
        script: overflow,
      })
      expect(await good.runner.done).toEqual({ status: 'completed' })
      expect(good.recorder.state.runs[0]?.codons[0]).toMatchObject({
        contextExceeded: true,
        exitStatus: { type: 'success' },
      })
      const bad = await startScenario({ plan: planOf(codonPlan('a')), script: overflow })
      expect(await bad.runner.done).toMatchObject({ status: 'failed' })
      expect(bad.recorder.state.runs[0]?.codons[0]).toMatchObject({
        contextExceeded: true,
        exitStatus: { type: 'error', code: 1 },
      })
    },
  )

  verifies(
    ['d8/context-compaction-boundary'],
    'whose context was compacted is not asked to go on, and its loop ends',
    async () => {
      const asked: unknown[] = []
      const harness = (): Harness => ({
        async *start(spec) {
          yield { type: 'session', sessionId: `session of ${spec.codonId}` }
          yield { type: 'compacted' }
          asked.push(spec.nextPrompt())
          yield { type: 'ended', end: { ok: true } }
        },
      })
      const auto = { autoCompact: true, exhaustWithPrompt: 'on' }
      const run = await startScenario({
        plan: planOf(codonPlan('a', auto), loopPlan('read', null, [codonPlan('x', auto), codonPlan('y')])),
        effects: { harnessFor: harness },
      })
      expect(await run.runner.done).toEqual({ status: 'completed' })
      expect(asked).toEqual([undefined, undefined])
      expect(run.codons()).toEqual(['a:completed', 'x#0:completed'])
      expect(run.recorder.state.runs[0]?.codons[0]).toMatchObject({ contextExceeded: true })
    },
  )

  test('that fails after a compaction has failed', async () => {
    const failure = { type: 'rate-limit', retriable: true, message: 'slow down' } as const
    const run = await startScenario({
      plan: planOf(codonPlan('a', { autoCompact: true, exhaustWithPrompt: 'on' })),
      effects: {
        harnessFor: () =>
          playing([
            { type: 'session', sessionId: 's1' },
            { type: 'compacted' },
            { type: 'ended', end: { ok: false, exit: { type: 'error', code: 1 }, reason: failure } },
          ]),
      },
    })
    expect(await run.runner.done).toMatchObject({ status: 'failed', reason: 'a: slow down' })
  })

  verifies(
    ['d8/context-auto-compact-goes-on'],
    'that compacts its context and ends well has done well',
    async () => {
      const events: readonly HarnessEvent[] = [
        { type: 'session', sessionId: 's1' },
        { type: 'compacted' },
        { type: 'ended', end: { ok: true } },
      ]
      const run = await startScenario({
        plan: planOf(codonPlan('a', { autoCompact: true })),
        effects: { harnessFor: () => playing(events) },
      })
      expect(await run.runner.done).toEqual({ status: 'completed' })
    },
  )

  verifies(
    ['d8/retriable-crash'],
    'that ends without a result has failed, and may be tried again',
    async () => {
      const run = await startScenario({
        plan: planOf(codonPlan('a')),
        effects: { harnessFor: () => playing([{ type: 'session', sessionId: 's1' }]) },
      })
      expect(await run.runner.done).toMatchObject({ status: 'failed' })
      expect(run.recorder.state.runs[0]?.codons[0]).toMatchObject({
        status: 'failed',
        failureReason: { type: 'unknown', retriable: true },
      })
    },
  )

  verifies(
    ['d14/launch-limit', 'd14/idle-from-first-sign'],
    'that does not start within a minute is stopped and may be tried again, whatever the idle timeout',
    async () => {
      const deaf: Harness = {
        async *start(_spec, signal) {
          await new Promise(resolve => signal.addEventListener('abort', resolve, { once: true }))
          const reason = { type: 'unknown', retriable: false, message: 'stopped' } as const
          yield { type: 'ended', end: { ok: false, exit: { type: 'killed', signal: 'SIGTERM' }, reason } }
        },
      }
      const run = await startScenario({
        plan: planOf(codonPlan('a', { idleTimeoutMs: 1_000 })),
        effects: { harnessFor: () => deaf },
      })
      await run.clock.advance(59_000)
      expect(run.codons()).toEqual(['a:initializing'])
      await run.clock.advance(2_000)
      await run.runner.done
      expect(run.recorder.state.runs[0]?.codons[0]).toMatchObject({
        failureReason: {
          type: 'timeout',
          retriable: true,
          message: expect.stringContaining('did not start within 60 s') as string,
        },
      })
    },
  )

  verifies(
    ['attack/usage-missing'],
    'whose usage is not known has an unknown cost, and a limit in dollars is told to hold for the rest: once',
    async () => {
      const tokens = { inputTokens: 0, outputTokens: 1, cacheCreationTokens: 0, cacheReadTokens: 0 }
      const play = async (budget: object) => {
        const run = await startScenario({
          plan: planOf(codonPlan('a', budget)),
          effects: {
            harnessFor: () =>
              playing([
                { type: 'session', sessionId: 's1' },
                { type: 'usage', messageId: 'm1', tokens, isUnknown: true },
                { type: 'usage', messageId: 'm2', tokens, isUnknown: true },
                { type: 'ended', end: { ok: true } },
              ]),
            costOf: () => 1,
          },
        })
        await run.runner.done
        expect(run.recorder.state.runs[0]?.codons[0]).toMatchObject({ cost: 0, costUnknown: true })
        return run.told('error').filter(({ message }) => message.includes('cost is unknown'))
      }
      expect(await play({ budget: { maxDollars: 5 } })).toMatchObject([{ severity: 'warning', codon: 'a' }])
      expect(await play({ budget: { maxTimeSeconds: 50 } })).toEqual([])
      expect(await play({})).toEqual([])
    },
  )

  test('whose session never opens has failed before it ran', async () => {
    const reason = { type: 'api-error', retriable: false, message: 'no such key' } as const
    const end: HarnessEvent = { type: 'ended', end: { ok: false, exit: { type: 'error', code: 1 }, reason } }
    const run = await startScenario({
      plan: planOf(codonPlan('a')),
      effects: { harnessFor: () => playing([end]) },
    })
    expect(await run.runner.done).toEqual({ status: 'failed', reason: 'a: no such key' })
    expect(run.recorder.state.runs[0]?.codons[0]).toMatchObject({ failedDuring: 'initializing' })
    expect(run.told('codon.started')).toEqual([])
  })

  test('is told its costs by message; the sum it names itself at the end counts', async () => {
    const tokens = { inputTokens: 1, outputTokens: 1, cacheCreationTokens: 0, cacheReadTokens: 0 }
    const run = await startScenario({
      plan: planOf(codonPlan('a')),
      effects: {
        harnessFor: () =>
          playing([
            { type: 'session', sessionId: 's1' },
            { type: 'usage', messageId: 'm1', tokens },
            { type: 'usage', messageId: 'm1', tokens: { ...tokens, outputTokens: 5 } },
            { type: 'ended', end: { ok: true, totalDollars: 0.125 } },
          ]),
      },
    })
    await run.runner.done
    expect(run.recorder.state.runs[0]?.codons[0]).toMatchObject({
      cost: 0.125,
      assistantMessageCount: 1,
      tokens: { outputTokens: 5 },
    })
    expect(run.recorder.state.runs[0]?.codons[0]).not.toHaveProperty('costUnknown')
    expect(run.told('codon.completed')).toMatchObject([{ cost: 0.125 }])
  })

  verifies(
    ['d5/tool-result-limit'],
    'may have a tool that says a lot: clients hear the first 8,000 characters',
    async () => {
      const result = { id: 't1', name: 'Bash', isError: false, durationMs: 3 }
      const run = await startScenario({
        plan: planOf(codonPlan('a')),
        effects: {
          harnessFor: () =>
            playing([
              { type: 'session', sessionId: 's1' },
              { type: 'tool-result', ...result, output: 'x'.repeat(8_000) },
              { type: 'tool-result', ...result, output: 'y'.repeat(8_001) },
              { type: 'ended', end: { ok: true } },
            ]),
        },
      })
      await run.runner.done
      expect(run.told('tool.result')).toMatchObject([
        { result: 'x'.repeat(8_000), truncated: false, originalLength: 8_000 },
        { result: 'y'.repeat(8_000), truncated: true, originalLength: 8_001 },
      ])
    },
  )
})

describe('a codon that continues', () => {
  const next = { continuation: 'continue-previous' } as const
  const sessionOf = ({ runs }: WeaveState, at: number): string | undefined => {
    const codon = runs[0]?.codons[at]
    return codon && 'sessionId' in codon ? codon.sessionId : undefined
  }

  verifies(
    ['d8/continue-nearest-session', '2.3/continuation-continue-previous', '2.3/continuation-fresh'],
    'gets the session of the nearest earlier codon, whatever became of that; a fresh one gets none',
    async () => {
      const run = await startScenario({
        plan: planOf(
          codonPlan('a'),
          codonPlan('b', { ...next, onFailure: 'ignore' }),
          codonPlan('c', next),
          codonPlan('d'),
        ),
        script: id => (id === 'b' ? [{ fail: 'nope', retriable: false }] : undefined),
      })
      expect(await run.runner.done).toEqual({ status: 'completed' })
      const { state } = run.recorder
      expect(run.specs.map(({ previousSessionId }) => previousSessionId)).toEqual([
        undefined,
        sessionOf(state, 0),
        sessionOf(state, 1),
        undefined,
      ])
      expect(run.told('codon.started').map(({ previousSessionId }) => previousSessionId)).toEqual(
        run.specs.map(({ previousSessionId }) => previousSessionId),
      )
    },
  )

  verifies(
    ['d8/continue-without-session'],
    'fails with a clear reason, at once, when nothing before it has a session',
    async () => {
      const run = await startScenario({
        plan: planOf(codonPlan('a', { onFailure: 'ignore' }), codonPlan('b', next)),
        effects: {
          runRig: async at =>
            at.codon.id === 'a'
              ? { ok: false, message: 'npm ci ended with 1', retriable: true }
              : { ok: true },
        },
      })
      expect(await run.runner.done).toMatchObject({
        status: 'failed',
        reason: expect.stringContaining('no session to continue'),
      })
      expect(run.specs).toEqual([])
    },
  )

  verifies(
    ['d8/continue-first-codon'],
    'as the first of all is warned about and starts fresh, at every attempt',
    async () => {
      const run = await startScenario({
        plan: planOf(codonPlan('a', { ...next, onFailure: 'retry' })),
        script: (_, call) => (call === 0 ? [{ fail: 'overloaded', retriable: true }] : undefined),
      })
      await run.clock.untilSleepers(1)
      await run.clock.advance(1_000)
      expect(await run.runner.done).toEqual({ status: 'completed' })
      expect(run.specs.map(({ previousSessionId }) => previousSessionId)).toEqual([undefined, undefined])
      expect(run.told('error')).toMatchObject([
        { codon: 'a', fatal: false, severity: 'warning', message: expect.stringContaining('new session') },
        { codon: 'a', severity: 'warning' },
      ])
    },
  )

  test('goes back to the codon before it at every attempt, not to its own broken session', async () => {
    const run = await startScenario({
      plan: planOf(codonPlan('a'), codonPlan('b', { ...next, onFailure: 'retry' })),
      script: (id, call) =>
        id === 'b' && call === 0 ? [{ fail: 'overloaded', retriable: true }] : undefined,
    })
    await run.clock.untilSleepers(1)
    await run.clock.advance(1_000)
    await run.runner.done
    const session = sessionOf(run.recorder.state, 0)
    expect(run.specs.map(({ previousSessionId }) => previousSessionId)).toEqual([undefined, session, session])
  })
})

function playing(events: readonly HarnessEvent[]): Harness {
  return {
    async *start() {
      yield* events
    },
  }
}
