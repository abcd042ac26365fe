import type { CodonExecution, RunState, WeaveState } from '@weave/protocol'
import { describe, expect } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import type { Plan, PlannedCodon } from '../../src/plan/index.ts'
import { adoption } from '../../src/runner/index.ts'
import { codonPlan, loopPlan, planOf } from './plans.ts'
import { completed, failed, killed, runOf } from './states.ts'

const inLoop = (record: CodonExecution, loopId: string, iteration: number): CodonExecution => ({
  ...record,
  loopContext: { loopId, iteration, codonIndexInLoop: 0 },
})

const stateOf = (...runs: readonly RunState[]): WeaveState => ({
  currentRunId: runs.at(-1)?.runId ?? null,
  runs: [...runs],
  totalCost: 0,
})

const after = (...codons: readonly CodonExecution[]): WeaveState => stateOf(runOf('one', codons))

const ask = (before: Plan, next: Plan, state: WeaveState) =>
  adoption({ before, next, state, identityOf: ({ model }) => `embedded:test/${model}` })

const refusal = (verdict: ReturnType<typeof ask>): string => (verdict.ok ? 'adopted' : verdict.message)

const withModel = (id: string, model: string, more: Partial<PlannedCodon> = {}): PlannedCodon =>
  codonPlan(id, { model: { ...codonPlan(id).model, id: model, identity: `embedded:test/${model}` }, ...more })

const three = planOf(codonPlan('a'), codonPlan('b'), codonPlan('c'))

describe('another plan takes over', () => {
  verifies(['repair/adopt-exactly-when'], 'when the codons that are done are its first ones', () => {
    const state = after(completed('a'), failed('b', { retriable: false }))
    const next = planOf(codonPlan('a'), codonPlan('instead of b'), codonPlan('c'), codonPlan('d'))
    expect(ask(three, next, state)).toMatchObject({
      ok: true,
      kept: ['a'],
      entry: { runtimeId: 'instead of b' },
    })
    expect(refusal(ask(three, planOf(codonPlan('b'), codonPlan('a')), state))).toBe(
      'a is done; in the edited hank b comes before it and has not run.',
    )
    expect(refusal(ask(three, planOf(codonPlan('b')), state))).toBe(
      'a is done, and the edited hank does not have it.',
    )
  })

  verifies(
    ['repair/adopt-exactly-when'],
    'at a codon that was cut off, which begins again whatever it is now',
    () => {
      const state = after(completed('a'), killed('b'))
      expect(ask(three, planOf(codonPlan('a'), codonPlan('z')), state)).toMatchObject({
        ok: true,
        kept: ['a'],
      })
    },
  )

  verifies(
    ['repair/adopt-exactly-when'],
    'after a failure that it ignores, and before one that it does not',
    () => {
      const state = after(completed('a'), failed('b', { retriable: false }))
      const lenient = planOf(codonPlan('a'), codonPlan('b', { onFailure: 'ignore' }), codonPlan('c'))
      expect(ask(three, lenient, state)).toMatchObject({ kept: ['a', 'b'], entry: { runtimeId: 'c' } })
      expect(ask(lenient, three, state)).toMatchObject({ kept: ['a'], entry: { runtimeId: 'b' } })
    },
  )
})

describe('a loop', () => {
  const looped = (limit: number | null, id = 'again') =>
    planOf(loopPlan(id, limit, [codonPlan('x')]), codonPlan('y'))
  const twice = [inLoop(completed('x#0'), 'again', 0), inLoop(completed('x#1'), 'again', 1)]

  verifies(
    ['repair/adopt-exactly-when'],
    'may get more iterations while it is not left, and no fewer than it did',
    () => {
      expect(ask(looped(2), looped(3), after(...twice))).toMatchObject({ entry: { runtimeId: 'x#2' } })
      expect(ask(looped(3), looped(2), after(...twice))).toMatchObject({ entry: { runtimeId: 'y' } })
      expect(refusal(ask(looped(3), looped(1), after(...twice)))).toBe(
        'x#1 is done, and the edited hank lets loop again run once only.',
      )
      expect(refusal(ask(looped(2), looped(3), after(...twice, completed('y'))))).toBe(
        'y is done; in the edited hank loop again before it is not over by then.',
      )
    },
  )

  verifies(['repair/adopt-exactly-when'], 'that was left early stays left, and keeps its name', () => {
    const left = [inLoop(completed('x#0', { contextExceeded: true }), 'again', 0), completed('y')]
    expect(ask(looped(null), looped(null), after(...left))).toMatchObject({ ok: true, kept: ['x#0', 'y'] })
    expect(ask(looped(3), looped(3), after(...left))).toMatchObject({ ok: true, kept: ['x#0', 'y'] })
    expect(refusal(ask(looped(2), looped(2, 'other'), after(...twice)))).toBe(
      'x#0 ran in loop again; in the edited hank it is in loop other.',
    )
    expect(refusal(ask(looped(2), planOf(codonPlan('x')), after(...twice)))).toMatch(/^x#0 is done/)
  })
})

describe('a conversation', () => {
  const chain = (model: string, continues = true) =>
    planOf(
      withModel('a', model),
      withModel('b', model, { continuation: continues ? 'continue-previous' : 'fresh' }),
    )
  const state = after(completed('a', { sessionId: 's' }), failed('b', { retriable: false }))

  verifies(
    ['repair/adopt-exactly-when', 'repair/adopt-refusal'],
    'goes on with the model that began it',
    () => {
      expect(ask(chain('m'), chain('m'), state).ok).toBe(true)
      expect(ask(chain('m'), chain('n', false), state).ok).toBe(true)
      expect(ask(chain('m'), chain('n'), state)).toEqual({
        ok: false,
        message:
          'b continues the conversation of a, which ran with m; the edited hank gives it embedded:test/n.',
        cure: 'Go back first: weave rollback start. Or begin another execution with --start-new.',
      })
    },
  )
})

describe('after a rollback', () => {
  const withRig = (run: string) =>
    planOf(codonPlan('a'), codonPlan('b', { rig: [{ type: 'command', command: { run } }] }))
  const first = runOf('one', [
    completed('a', { checkpoints: { completed: 'a1' } }),
    completed('b', { checkpoints: { 'rig-setup': 'b0', completed: 'b1' } }),
  ])
  const backTo = (codonId: string, checkpoint: string) =>
    stateOf(first, runOf('two', [], { type: 'continuation', runId: 'one', codonId, checkpoint }))

  verifies(['repair/adopt-exactly-when'], 'before a codon, the codon may be another', () => {
    expect(ask(withRig('one'), withRig('two'), backTo('a', 'a1'))).toMatchObject({
      kept: ['a'],
      entry: { runtimeId: 'b' },
    })
  })

  verifies(
    ['repair/adopt-exactly-when', 'repair/adopt-refusal'],
    'after its rig, the rig must be the one that ran',
    () => {
      const state = backTo('b', 'b0')
      expect(ask(withRig('one'), withRig('one'), state)).toMatchObject({
        kept: ['a'],
        entry: { runtimeId: 'b' },
      })
      expect(ask(withRig('one'), withRig('two'), state)).toEqual({
        ok: false,
        message:
          'The execution stands after the rig of b, and the edited hank has another rig or another codon there.',
        cure: 'Go back first: weave rollback a. Or begin another execution with --start-new.',
      })
    },
  )
})
