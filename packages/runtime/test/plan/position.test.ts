import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import {
  after,
  codonAt,
  endsIteration,
  endsLoop,
  find,
  type Plan,
  type Position,
  start,
} from '../../src/plan/index.ts'
import { codonPlan, loopPlan, planOf } from '../runner/plans.ts'

const at = (item: number, iteration = 0, index = 0): Position => ({ item, iteration, index })

/** A codon, a loop of 2 iterations, a loop until the context is full, a codon. */
const plan = planOf(
  codonPlan('a'),
  loopPlan('fix', 2, [codonPlan('edit'), codonPlan('check')]),
  loopPlan('read', null, [codonPlan('one'), codonPlan('two')]),
  codonPlan('z'),
)

const name = (position: Position): string => codonAt(plan, position)?.runtimeId ?? 'the end'

/** Every codon that runs, in order; `leave` ends a loop. */
function walk(given: Plan, leave: (id: string) => boolean = () => false): readonly string[] {
  const ids: string[] = []
  for (let position = start; ids.length < 100; ) {
    const step = codonAt(given, position)
    if (!step) return ids
    ids.push(step.runtimeId)
    position = after(given, position, { leaveLoop: leave(step.runtimeId) })
  }
  return ids
}

describe('codonAt', () => {
  test.each([
    [at(0), 'a', undefined],
    [at(1), 'edit#0', 'fix'],
    [at(1, 1, 1), 'check#1', 'fix'],
    [at(2, 7, 1), 'two#7', 'read'],
    [at(3), 'z', undefined],
  ])('%j is %s', (position, runtimeId, loop) => {
    expect(codonAt(plan, position)).toMatchObject({ position, runtimeId })
    expect(codonAt(plan, position)?.loop?.id).toBe(loop)
  })

  test.each([at(4), at(99), at(1, 0, 2)])('%j is beyond the plan', position => {
    expect(codonAt(plan, position)).toBe(undefined)
  })
})

describe('after', () => {
  test.each<[Position, string]>([
    [at(0), 'edit#0'],
    [at(1, 0, 0), 'check#0'],
    [at(1, 0, 1), 'edit#1'],
    [at(1, 1, 0), 'check#1'],
    [at(1, 1, 1), 'one#0'],
    [at(2, 0, 1), 'one#1'],
    [at(2, 999, 1), 'one#1000'],
    [at(3), 'the end'],
    [at(4), 'the end'],
  ])('%j comes %s', (position, next) => {
    expect(name(after(plan, position))).toBe(next)
  })

  test.each<[Position, string]>([
    [at(1, 0, 0), 'one#0'],
    [at(2, 0, 0), 'z'],
    [at(2, 5, 1), 'z'],
  ])('%j, leaving the loop, comes %s', (position, next) => {
    expect(name(after(plan, position, { leaveLoop: true }))).toBe(next)
  })

  verifies(['2.7/iterations-zero-indexed'], 'a limit of 5 runs the iterations 0 to 4', () => {
    expect(walk(planOf(loopPlan('l', 5, [codonPlan('x')])))).toEqual(['x#0', 'x#1', 'x#2', 'x#3', 'x#4'])
  })

  test('a whole plan is walked once, loops grow by one iteration at a time', () => {
    expect(walk(plan, id => id === 'one#2')).toEqual([
      'a',
      'edit#0',
      'check#0',
      'edit#1',
      'check#1',
      'one#0',
      'two#0',
      'one#1',
      'two#1',
      'one#2',
      'z',
    ])
  })

  test('an empty plan is at its end', () => {
    expect(walk(planOf())).toEqual([])
  })
})

describe('the ends of iterations and loops', () => {
  test.each<[Position, boolean, { iteration: boolean; loop: boolean }]>([
    [at(0), false, { iteration: false, loop: false }],
    [at(0), true, { iteration: false, loop: false }],
    [at(1, 0, 0), false, { iteration: false, loop: false }],
    [at(1, 0, 1), false, { iteration: true, loop: false }],
    [at(1, 1, 0), false, { iteration: false, loop: false }],
    [at(1, 1, 1), false, { iteration: true, loop: true }],
    [at(2, 3, 1), false, { iteration: true, loop: false }],
    [at(2, 3, 0), true, { iteration: true, loop: true }],
    [at(2, 3, 1), true, { iteration: true, loop: true }],
    [at(4), false, { iteration: false, loop: false }],
  ])('%j, leaving: %j', (position, leaveLoop, ends) => {
    expect({
      iteration: endsIteration(plan, position, { leaveLoop }),
      loop: endsLoop(plan, position, { leaveLoop }),
    }).toEqual(ends)
  })
})

describe('find', () => {
  test.each<[string, Position | undefined]>([
    ['a', at(0)],
    ['z', at(3)],
    ['edit', at(1)],
    ['check', at(1, 0, 1)],
    ['edit#0', at(1)],
    ['check#1', at(1, 1, 1)],
    ['edit#2', undefined],
    ['two#41', at(2, 41, 1)],
    ['two#99999999999999999999', undefined],
    ['a#0', undefined],
    ['fix', undefined],
    ['edit#', undefined],
    ['edit#01', undefined],
    ['edit#-1', undefined],
    ['edit#1.5', undefined],
    ['edit#1 ', undefined],
    ['#0', undefined],
    ['', undefined],
    ['nope', undefined],
  ])('%j', (id, position) => {
    expect(find(plan, id)).toEqual(position)
  })

  test('a codon whose own id looks like an iteration', () => {
    const odd = planOf(loopPlan('l', null, [codonPlan('x#1')]))
    expect(find(odd, 'x#1')).toEqual(at(0))
    expect(find(odd, 'x#1#2')).toEqual(at(0, 2))
  })

  test('is the way back from a runtime id', () => {
    for (const id of walk(plan, each => each === 'one#3')) {
      const position = find(plan, id)
      expect(position && codonAt(plan, position)?.runtimeId).toBe(id)
    }
  })
})
