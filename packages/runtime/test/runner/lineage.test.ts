import { type CodonExecution, lineageOf, type RunState } from '@weave/protocol'
import { describe, expect, test } from 'vitest'
import { codonNamed, find } from '../../src/plan/index.ts'
import {
  entryOf,
  following,
  isPassed,
  lastPassed,
  nothingLeft,
  previousSession,
  wasInterrupted,
} from '../../src/runner/lineage.ts'
import { attemptAt, nextStep, redoPoint, resumePoint, startOf } from '../../src/runner/resume-point.ts'
import { codonPlan, loopPlan, planOf } from './plans.ts'
import { completed, endedRun, failed, killed, live, runOf, skipped, stateOf } from './states.ts'

const plan = planOf(
  codonPlan('a'),
  codonPlan('b', { onFailure: 'ignore' }),
  codonPlan('c', { onFailure: 'retry' }),
  loopPlan('read', null, [codonPlan('one'), codonPlan('two')]),
  codonPlan('z'),
)

const from = (runId: string, codonId?: string, checkpoint?: string): RunState['startedFrom'] => ({
  type: 'continuation',
  runId,
  ...(codonId !== undefined && { codonId }),
  ...(checkpoint !== undefined && { checkpoint }),
})

const ids = (codons: readonly CodonExecution[]) => codons.map(({ codonId }) => codonId)
const step = (id: string) => codonNamed(plan, id) ?? never(id)

function never(id: string): never {
  throw new Error(`no codon ${id}`)
}

describe('whether the plan goes on after a codon', () => {
  test.each<[CodonExecution, boolean]>([
    [completed('a'), true],
    [skipped('a'), true],
    [failed('a'), false],
    [failed('b'), true],
    [failed('b', { retriable: false }), true],
    [failed('b', { failedDuring: 'completing-sentinels' }), false],
    [failed('c'), false],
    [live('a'), false],
    [live('b'), false],
  ])('%#', (record, passed) => {
    expect(isPassed(record, codonNamed(plan, record.codonId))).toBe(passed)
  })

  test('what is not in the plan has no word on failure', () => {
    expect(isPassed(completed('gone'), undefined)).toBe(true)
    expect(isPassed(failed('gone'), undefined)).toBe(false)
  })

  test.each<[string, CodonExecution, boolean]>([
    ['a failure of its own', failed('b'), false],
    ['a silent agent that was stopped', failed('b', { ...timeout() }), false],
    ['a stop, a shutdown or a crash', killed('b'), true],
    ['a completed codon', completed('b'), false],
    ['a skipped codon', skipped('b'), false],
    ['a codon at work', live('b'), false],
  ])('interrupted: %s', (_, record, interrupted) => {
    expect(wasInterrupted(record)).toBe(interrupted)
  })
})

function timeout() {
  return { type: 'timeout', exitStatus: { type: 'killed', signal: 'SIGTERM' } } as const
}

describe('a thread', () => {
  const first = endedRun(runOf('r1', [completed('a'), completed('b'), failed('c')]), 'stopped')

  test.each<[string, RunState['startedFrom'], readonly string[]]>([
    ['from the beginning again', from('r1'), ['x']],
    ['from a', from('r1', 'a'), ['a', 'x']],
    ['from b', from('r1', 'b'), ['a', 'b', 'x']],
    ['from the failed one', from('r1', 'c'), ['a', 'b', 'c', 'x']],
    ['from a codon that never ran', from('r1', 'z'), ['x']],
    ['from a run that is not there', from('r9', 'a'), ['x']],
    ['fresh', { type: 'fresh' }, ['x']],
  ])('%s', (_, startedFrom, expected) => {
    const second = runOf('r2', [completed('x')], startedFrom)
    expect(ids(lineageOf(stateOf(first, second), second))).toEqual(expected)
  })

  test('goes through any number of runs', () => {
    const runs = [
      endedRun(runOf('r1', [completed('a'), completed('b'), failed('c')]), 'stopped'),
      endedRun(runOf('r2', [completed('c'), completed('one#0')], from('r1', 'b')), 'stopped'),
      endedRun(runOf('r3', [completed('c')], from('r2', 'b')), 'crashed'),
      runOf('r4', [live('one#0')], from('r3', 'c')),
    ]
    expect(ids(lineageOf(stateOf(...runs), runs[3]))).toEqual(['a', 'b', 'c', 'one#0'])
    expect(ids(lineageOf(stateOf(...runs), runs[1]))).toEqual(['a', 'b', 'c', 'one#0'])
    expect(lineageOf(stateOf(), undefined)).toEqual([])
  })

  const attempts = endedRun(
    runOf('r1', [
      completed('a', { checkpoints: { completed: 'a1' } }),
      failed('c', { checkpoints: { 'rig-setup': 'rig1', error: 'error1' } }),
      completed('c', { attempt: 2, checkpoints: { 'rig-setup': 'rig2', completed: 'done2' } }),
    ]),
    'stopped',
  )

  test.each<[string, string, readonly number[], { next: string; withoutRig: boolean }]>([
    ['the rig of the first attempt', 'rig1', [], { next: 'c', withoutRig: true }],
    ['the end of the first attempt', 'error1', [1], { next: 'one#0', withoutRig: false }],
    ['the rig of the second attempt', 'rig2', [1], { next: 'c', withoutRig: true }],
    ['the end of the second attempt', 'done2', [1, 2], { next: 'one#0', withoutRig: false }],
    ['a checkpoint that is not its own', 'other', [1, 2], { next: 'one#0', withoutRig: false }],
  ])('rolled back to %s', (_, checkpoint, kept, { next, withoutRig }) => {
    const run = runOf('r2', [], from('r1', 'c', checkpoint))
    const state = stateOf(attempts, run)
    expect(lineageOf(state, run).map(({ codonId, attempt }) => [codonId, attempt])).toEqual([
      ['a', 1],
      ...kept.map(attempt => ['c', attempt]),
    ])
    expect(entryOf(plan, state, run)).toEqual({ position: find(plan, next), withoutRig })
    expect(nextStep(plan, state)).toMatchObject({ at: { runtimeId: next }, withoutRig })
  })
})

describe('what follows', () => {
  test.each<[CodonExecution, string | undefined]>([
    [completed('a'), 'b'],
    [failed('a'), 'b'],
    [completed('one#0'), 'two#0'],
    [completed('two#0'), 'one#1'],
    [completed('one#0', { contextExceeded: true }), 'z'],
    [completed('a', { contextExceeded: true }), 'b'],
    [completed('z'), undefined],
    [completed('gone'), undefined],
  ])('%#', (record, next) => {
    expect(following(plan, record)).toEqual(
      next === undefined ? { item: plan.items.length, iteration: 0, index: 0 } : find(plan, next),
    )
    const run = runOf('r', [record])
    expect(nextStep(plan, stateOf(run))?.at.runtimeId).toBe(next)
  })

  test('a run without codons begins with its first; no run with the first of the plan', () => {
    expect(nextStep(plan, stateOf())?.at.runtimeId).toBe('a')
    expect(nextStep(plan, stateOf(runOf('r', [])))?.at.runtimeId).toBe('a')
    const before = endedRun(runOf('r1', [completed('a')]), 'stopped')
    expect(nextStep(plan, stateOf(before, runOf('r2', [], from('r1', 'a'))))?.at.runtimeId).toBe('b')
  })

  test('a loop that fills up in an earlier run stays left', () => {
    const before = endedRun(runOf('r1', [completed('one#4', { contextExceeded: true })]), 'crashed')
    const run = runOf('r2', [], from('r1', 'one#4'))
    expect(entryOf(plan, stateOf(before, run), run).position).toEqual(find(plan, 'z'))
  })
})

describe('resuming', () => {
  test.each<[string, readonly CodonExecution[], string | undefined, boolean]>([
    ['nothing ran', [], undefined, false],
    ['completed', [completed('a'), completed('b')], 'b', false],
    ['skipped', [completed('a'), skipped('b')], 'b', false],
    ['failed', [completed('a'), failed('c')], 'a', false],
    ['failed and ignored', [completed('a'), failed('b')], 'b', false],
    ['silent and ignored', [completed('a'), failed('b', timeout())], 'b', false],
    ['cut off, though failures are ignored', [completed('a'), killed('b')], 'a', false],
    ['cut off, and the run went on', [completed('a'), killed('b'), completed('c')], 'c', false],
    ['every attempt failed', [failed('c'), failed('c', { attempt: 2 })], undefined, false],
    ['the last codon', [completed('a'), completed('z')], 'z', true],
    ['the last codon failed', [completed('a'), failed('z')], 'a', false],
    ['not in the plan any more', [completed('a'), completed('gone')], 'gone', true],
  ])('%s', (_, codons, passed, isDone) => {
    const state = stateOf(endedRun(runOf('r1', codons), 'crashed'))
    expect(lastPassed(plan, state)?.codonId).toBe(passed)
    expect(nothingLeft(plan, state)).toBe(isDone)
    expect(resumePoint(plan, state)).toEqual(from('r1', passed))
  })

  test('goes on from the checkpoint of the codon; the very first run is fresh', () => {
    const codons = [completed('a', { checkpoints: { 'rig-setup': 'rig', completed: 'done' } }), failed('b')]
    expect(resumePoint(planOf(codonPlan('a'), codonPlan('b')), stateOf(runOf('r1', codons)))).toEqual(
      from('r1', 'a', 'done'),
    )
    expect(resumePoint(plan, stateOf())).toEqual({ type: 'fresh' })
  })
})

describe('redo', () => {
  const marked = (make: typeof completed, id: string, attempt = 1) =>
    make(id, { attempt, checkpoints: { completed: `end of ${id} ${attempt}` } })

  test.each<[string, readonly CodonExecution[], string | undefined, RunState['startedFrom'] | undefined]>([
    ['nothing ran', [], undefined, undefined],
    ['only skipped', [skipped('a')], undefined, undefined],
    ['completed', [marked(completed, 'a'), completed('b')], 'b', from('r1', 'a', 'end of a 1')],
    ['failed', [marked(completed, 'a'), failed('b')], 'b', from('r1', 'a', 'end of a 1')],
    ['the first', [completed('a')], 'a', from('r1')],
    ['a skipped one is passed over', [completed('a'), skipped('b')], 'a', from('r1')],
    [
      'all attempts at once',
      [marked(completed, 'a'), failed('c'), failed('c', { attempt: 2 })],
      'c',
      from('r1', 'a', 'end of a 1'),
    ],
    [
      'started out of order',
      [marked(completed, 'a'), marked(completed, 'b'), completed('a', { attempt: 2 })],
      'a',
      from('r1', 'b', 'end of b 1'),
    ],
    ['not in the plan any more', [completed('a'), completed('gone')], 'a', from('r1')],
  ])('%s', (_, codons, redone, startedFrom) => {
    const point = redoPoint(plan, stateOf(endedRun(runOf('r1', codons), 'completed')))
    expect(point?.at.runtimeId).toBe(redone)
    expect(point?.startedFrom).toEqual(startedFrom)
    expect(point?.sha).toBe(startedFrom && 'checkpoint' in startedFrom ? startedFrom.checkpoint : undefined)
  })

  test('of the first codon goes back to the workspace as the run found it', () => {
    const run = { ...runOf('r1', [completed('a')]), initialCheckpoint: 'begin' }
    expect(redoPoint(plan, stateOf(run))).toMatchObject({
      sha: 'begin',
      startedFrom: from('r1', undefined, 'begin'),
    })
  })

  test('a retry goes back there too', () => {
    const codons = [marked(completed, 'b'), failed('c', { checkpoints: { error: 'half done' } })]
    expect(startOf(stateOf(runOf('r1', codons)), step('c'))).toBe('end of b 1')
    const run = { ...runOf('r1', [failed('c')]), initialCheckpoint: 'begin' }
    expect(startOf(stateOf(run), step('c'))).toBe('begin')
  })

  test('attempts are counted in the present run', () => {
    const before = endedRun(runOf('r1', [failed('c'), failed('c', { attempt: 2 })]), 'stopped')
    expect(attemptAt(stateOf(before), step('c'))).toBe(3)
    expect(attemptAt(stateOf(before, runOf('r2', [], from('r1'))), step('c'))).toBe(1)
    expect(attemptAt(stateOf(), step('c'))).toBe(1)
  })
})

describe('the session to continue', () => {
  test.each<[string, readonly CodonExecution[], string | undefined]>([
    ['nothing ran', [], undefined],
    ['of the codon before', [completed('a', { sessionId: 's1' }), completed('b', { sessionId: 's2' })], 's2'],
    ['past one that has none', [completed('a', { sessionId: 's1' }), skipped('b')], 's1'],
    ['of a failed one', [completed('a', { sessionId: 's1' }), failed('b', { sessionId: 's2' })], 's2'],
    ['of a skipped one', [completed('a', { sessionId: 's1' }), skipped('b', { sessionId: 's2' })], 's2'],
    [
      'not that of an earlier attempt',
      [completed('a', { sessionId: 's1' }), failed('c', { sessionId: 's2' })],
      's1',
    ],
    ['nobody has one', [skipped('a'), failed('b', { failedDuring: 'preparing' })], undefined],
  ])('%s', (_, codons, session) => {
    expect(previousSession(stateOf(runOf('r1', codons)), 'c')).toBe(session)
  })

  test('of an earlier run, unless the thread left it behind', () => {
    const codons = [completed('a', { sessionId: 's1' }), completed('b', { sessionId: 's2' })]
    const before = endedRun(runOf('r1', codons), 'stopped')
    const resumed = (codonId: string) => stateOf(before, runOf('r2', [], from('r1', codonId)))
    expect(previousSession(resumed('b'), 'c')).toBe('s2')
    expect(previousSession(resumed('a'), 'c')).toBe('s1')
  })
})
