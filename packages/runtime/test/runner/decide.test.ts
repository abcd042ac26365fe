import { emptyState, type WeaveState } from '@weave/protocol'
import { describe, expect, test } from 'vitest'
import type { Plan } from '../../src/plan/index.ts'
import { decide } from '../../src/runner/decide.ts'
import { codonPlan, loopPlan, planOf } from './plans.ts'
import { completed, endedRun, failed, live, runOf, skipped, stateOf } from './states.ts'

const retry = { maxAttempts: 3, delayMs: 100, maxDelayMs: 250 }
const plan = planOf(
  codonPlan('a'),
  codonPlan('again', { onFailure: 'retry', retry }),
  codonPlan('never-mind', { onFailure: 'ignore' }),
  loopPlan('read', null, [codonPlan('one'), codonPlan('two')]),
  codonPlan('z'),
)

/** A move in a word. */
function move(given: Plan, state: WeaveState, retryAfterMs?: number): string {
  const next = decide(given, state, { retryAfterMs })
  switch (next.kind) {
    case 'start':
      return `start ${next.at.runtimeId} ${next.attempt}${next.withoutRig ? ' without rig' : ''}`
    case 'retry':
      return `retry ${next.at.runtimeId} ${next.attempt} after ${next.delayMs}`
    case 'abort':
      return `abort ${next.retriable ? 'retriable' : 'final'} ${next.reason}`
    default:
      return next.kind
  }
}

const after = (...codons: Parameters<typeof runOf>[1]) => stateOf(runOf('r', codons))

describe('what comes next', () => {
  test.each<[string, WeaveState, string]>([
    ['no run', emptyState, 'nothing'],
    ['a run that is over', stateOf(endedRun(runOf('r', [completed('a')]), 'stopped')), 'nothing'],
    ['a fresh run', after(), 'start a 1'],
    ['a codon at work', after(live('a')), 'nothing'],
    ['a completed codon', after(completed('a')), 'start again 1'],
    ['a skipped codon', after(skipped('a')), 'start again 1'],
    ['a failed codon: abort, retriable', after(failed('a')), 'abort retriable a: it went wrong'],
    [
      'a failed codon: abort, final',
      after(failed('a', { retriable: false })),
      'abort final a: it went wrong',
    ],
    ['a failed codon: retry, first', after(failed('again')), 'retry again 2 after 100'],
    ['a failed codon: retry, second', after(failed('again', { attempt: 2 })), 'retry again 3 after 200'],
    [
      'a failed codon: retry, last',
      after(failed('again', { attempt: 3 })),
      'abort retriable again: it went wrong',
    ],
    [
      'a failed codon: retry, final',
      after(failed('again', { retriable: false })),
      'abort final again: it went wrong',
    ],
    ['a failed codon: ignore', after(failed('never-mind', { retriable: false })), 'start one#0 1'],
    [
      'outputs that failed, in spite of ignore',
      after(failed('never-mind', { retriable: false, failedDuring: 'completing-sentinels' })),
      'abort final never-mind: it went wrong',
    ],
    ['a loop', after(completed('two#3')), 'start one#4 1'],
    ['a loop whose context is full', after(completed('one#3', { contextExceeded: true })), 'start z 1'],
    ['the last codon', after(completed('z')), 'finish'],
    ['a codon that is not in the plan', after(completed('gone')), 'finish'],
  ])('after %s', (_, state, expected) => {
    expect(move(plan, state)).toBe(expected)
  })

  test('a hint takes the place of the delay, of nothing else', () => {
    expect(move(plan, after(failed('again')), 900_000)).toBe('retry again 2 after 900000')
    expect(move(plan, after(failed('a')), 900_000)).toBe('abort retriable a: it went wrong')
  })

  test('an empty plan is done at once', () => {
    expect(move(planOf(), after())).toBe('finish')
  })

  test('a run that goes on begins after the codon it went on from, without its rig if that was done', () => {
    const first = runOf('r1', [completed('a', { checkpoints: { 'rig-setup': 'aaaa', completed: 'bbbb' } })])
    const from = (checkpoint?: string) =>
      stateOf(
        endedRun(first, 'stopped'),
        runOf('r2', [], {
          type: 'continuation',
          runId: 'r1',
          codonId: 'a',
          ...(checkpoint !== undefined && { checkpoint }),
        }),
      )
    expect(move(plan, from())).toBe('start again 1')
    expect(move(plan, from('bbbb'))).toBe('start again 1')
    expect(move(plan, from('aaaa'))).toBe('start a 1 without rig')
  })
})
