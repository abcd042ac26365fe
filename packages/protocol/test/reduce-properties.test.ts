import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { verifies } from '../../../test/conformance/verifies.ts'
import {
  emptyState,
  parseServerMessage,
  parseTransition,
  reduce,
  summarize,
  type Transition,
  type TransitionType,
  transitionTypes,
  type WeaveState,
} from '../src/index.ts'
import { deepFrozen } from './deep-frozen.ts'
import { violations } from './invariants.ts'
import { after, codonStarted, folded, runStarted } from './samples.ts'
import { anyTransition, extremeTransition } from './transition-arbitraries.ts'
import { acceptedOf, lastState, steps, walk } from './walks.ts'

describe('on every walk through the states', () => {
  verifies(
    ['d4/running-codon-has-no-end', 'd4/failed-codon-has-reason'],
    'the invariants S3 to S5 hold after every step, no live codon has an end and every failed one its reason',
    () => {
      fc.assert(
        fc.property(steps, path => {
          for (const { outcome } of walk(path)) if (outcome.ok) expect(violations(outcome.state)).toEqual([])
        }),
        { numRuns: 200 },
      )
    },
  )

  test('a step that is legal by a second writing of the rules is accepted', () => {
    fc.assert(
      fc.property(steps, path => {
        for (const { legal, outcome, transition } of walk(path)) {
          if (legal) expect(outcome, JSON.stringify(transition)).toMatchObject({ ok: true })
        }
      }),
      { numRuns: 150 },
    )
  })

  test('folding the accepted transitions from nothing gives the same state, byte for byte', () => {
    fc.assert(
      fc.property(steps, path => {
        const tried = walk(path)
        const live = lastState(tried)
        const again = folded(...acceptedOf(tried))
        expect(again).toStrictEqual(live)
        expect(JSON.stringify(again)).toBe(JSON.stringify(live))
        const stored: readonly Transition[] = JSON.parse(JSON.stringify(acceptedOf(tried)))
        expect(JSON.stringify(folded(...stored))).toBe(JSON.stringify(live))
      }),
      { numRuns: 200 },
    )
  })

  test('folding what a client reads off its state.transition events gives the same state', () => {
    fc.assert(
      fc.property(steps, path => {
        const tried = walk(path)
        const read = acceptedOf(tried).map(transition => received(lastState(tried), transition))
        const seen = folded(...read)
        expect(seen).toStrictEqual(lastState(tried))
        expect(JSON.stringify(folded(...read.map(viaJson)))).toBe(JSON.stringify(seen))
      }),
      { numRuns: 100 },
    )
  })

  verifies(
    ['d4/reduce-pure'],
    'the same arguments give the same answer and are never touched, and a refusal has a reason and no state',
    () => {
      fc.assert(
        fc.property(steps, fc.array(anyTransition, { maxLength: 5 }), (path, strangers) => {
          const tried = walk(path)
          const attempts = [
            ...tried.map(({ before, transition }) => ({ before, transition })),
            ...strangers.map(transition => ({ before: lastState(tried), transition })),
          ]
          for (const { before, transition } of attempts) {
            const written = JSON.stringify(before)
            deepFrozen(before)
            deepFrozen(transition)
            const answer = reduce(before, transition)
            expect(reduce(before, transition)).toStrictEqual(answer)
            expect(JSON.stringify(before)).toBe(written)
            if (!answer.ok) expect(Object.keys(answer)).toEqual(['ok', 'reason'])
            if (!answer.ok) expect(answer.reason).not.toBe('')
          }
        }),
        { numRuns: 150 },
      )
    },
  )

  test('the summary of a state agrees with the state', () => {
    fc.assert(
      fc.property(steps, path => {
        const state = lastState(walk(path))
        const { currentRunId, runCount, totalCost, currentRunCost } = summarize(state)
        expect([currentRunId, runCount]).toEqual([state.runs.at(-1)?.runId ?? null, state.runs.length])
        expect([totalCost, currentRunCost]).toEqual([state.totalCost, state.runs.at(-1)?.cost ?? 0])
      }),
      { numRuns: 50 },
    )
  })
})

test('the reducer answers every transition that the schemas let through, in every state, and never throws', () => {
  fc.assert(
    fc.property(
      steps,
      fc.array(fc.oneof(anyTransition, extremeTransition), { maxLength: 20 }),
      (path, rest) => {
        let state = lastState(walk(path))
        for (const transition of rest) {
          expect(parseTransition(transition)).not.toHaveProperty('problem')
          const answer = reduce(state, transition)
          if (answer.ok) state = answer.state
        }
      },
    ),
    { numRuns: 200 },
  )
})

test('transitions that are arbitrary throughout break no invariant', () => {
  fc.assert(
    fc.property(fc.array(anyTransition, { maxLength: 30 }), transitions => {
      const state = transitions.reduce(stepped, after(emptyState, runStarted('run-1'), codonStarted('draft')))
      expect(violations(state)).toEqual([])
    }),
    { numRuns: 200 },
  )
})

test('the walks are rich: every type is accepted and refused, and runs, codons and retries pile up', () => {
  const accepted = new Set<TransitionType>()
  const refused = new Set<TransitionType>()
  const deepest = { runs: 0, codons: 0, attempt: 0 }
  for (const path of fc.sample(steps, { numRuns: 120, seed: 7 })) {
    const tried = walk(path)
    for (const { transition, outcome } of tried) (outcome.ok ? accepted : refused).add(transition.type)
    const { runs } = lastState(tried)
    deepest.runs = Math.max(deepest.runs, runs.length)
    for (const { codons } of runs) {
      deepest.codons = Math.max(deepest.codons, codons.length)
      deepest.attempt = Math.max(deepest.attempt, ...codons.map(({ attempt }) => attempt))
    }
  }
  expect([...accepted].toSorted()).toEqual(transitionTypes.toSorted())
  expect([...refused].toSorted()).toEqual(transitionTypes.toSorted())
  expect(deepest.runs).toBeGreaterThanOrEqual(3)
  expect(deepest.codons).toBeGreaterThanOrEqual(5)
  expect(deepest.attempt).toBeGreaterThanOrEqual(3)
})

function stepped(state: WeaveState, transition: Transition): WeaveState {
  const answer = reduce(state, transition)
  return answer.ok ? answer.state : state
}

/** The transition as a client reads it off the wire. */
function received(state: WeaveState, transition: Transition): Transition {
  const frame = {
    id: 'e1',
    timestamp: '2026-03-01T12:00:00.000Z',
    type: 'state.transition',
    data: { transitionType: transition.type, transition, resultingState: summarize(state) },
  }
  const message = parseServerMessage(JSON.stringify(frame))
  if (message.kind !== 'event' || message.event.type !== 'state.transition')
    throw new Error(JSON.stringify(message))
  const read = parseTransition(message.event.data.transition)
  if ('problem' in read) throw new Error(read.problem)
  return read
}

function viaJson(transition: Transition): Transition {
  return JSON.parse(JSON.stringify(transition))
}
