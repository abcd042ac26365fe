import { describe, expect, test } from 'vitest'
import { verifies } from '../../../test/conformance/verifies.ts'
import {
  type CodonStatus,
  codonMoves,
  parseTransition,
  type Reduction,
  reduce,
  type Transition,
} from '../src/index.ts'
import { after, at, lastCodon, liveStatuses, moved, withCodon } from './samples.ts'

/**
 * The graph of decisions 4, all 64 moves of it. `yes` is a move of decisions 4; `early` a codon that is ended before
 * its agent ran, and still lets its sentinels finish; `budget` a codon that its budget never let start (decisions 9).
 */
const statuses = [
  'preparing',
  'starting',
  'initializing',
  'running',
  'completing-sentinels',
  'completed',
  'failed',
  'skipped',
] as const satisfies readonly CodonStatus[]

type Cell = 'yes' | 'early' | 'budget' | '-'
const graph: Readonly<Record<CodonStatus, readonly Cell[]>> = {
  // to:                  preparing starting initializing running completing completed failed skipped
  preparing: /*        */ ['-', 'yes', '-', '-', '-', 'budget', 'yes', 'yes'],
  starting: /*         */ ['-', '-', 'yes', '-', 'early', '-', 'yes', 'yes'],
  initializing: /*     */ ['-', '-', '-', 'yes', 'early', '-', 'yes', 'yes'],
  running: /*          */ ['-', '-', '-', '-', 'yes', '-', 'yes', 'yes'],
  'completing-sentinels': ['-', '-', '-', '-', '-', 'yes', 'yes', 'yes'],
  completed: /*        */ ['-', '-', '-', '-', '-', '-', '-', '-'],
  failed: /*           */ ['-', '-', '-', '-', '-', '-', '-', '-'],
  skipped: /*          */ ['-', '-', '-', '-', '-', '-', '-', '-'],
}

describe.each(statuses)('a %s codon', from => {
  test.each(statuses.map((to, column) => ({ to, cell: graph[from][column] })))(
    'to $to: $cell',
    ({ to, cell }) => {
      const step = attempted(from, to)
      expect(step.ok).toBe(cell === 'yes' || cell === 'early')
      if (step.ok) expect(lastCodon(step.state).status).toBe(to)
      else expect(step.reason).toContain('draft')
    },
  )
})

verifies(['d4/illegal-move-refused'], 'the table of moves says what the reducer does', () => {
  const allowed = statuses.map(from => [from, statuses.filter((_, column) => graph[from][column] !== '-')])
  expect(codonMoves).toEqual(Object.fromEntries(allowed))
  for (const from of statuses) {
    const taken = statuses.filter(to => attempted(from, to).ok)
    expect(taken).toEqual(
      statuses.filter((_, column) => ['yes', 'early'].includes(graph[from][column] ?? '-')),
    )
  }
})

verifies(
  [
    'd4/move-preparing-starting',
    'd4/move-initializing-running',
    'd4/move-running-completing',
    'd4/move-completing-completed',
  ],
  'a codon goes from preparing to completed one status at a time, and is running only with its session id',
  () => {
    const launched = after(withCodon('preparing'), moved('starting'), moved('initializing'))
    expect(lastCodon(launched)).not.toHaveProperty('sessionId')
    expect(parseTransition({ type: 'CodonTransitioned', data: { codonId: 'draft', to: 'running' } })).toEqual(
      {
        problem: expect.stringContaining('sessionId'),
      },
    )
    const running = after(launched, moved('running'))
    expect(lastCodon(running)).toMatchObject({ status: 'running', sessionId: 's1' })
    const ended = after(running, moved('completing-sentinels'), moved('completed'))
    expect(lastCodon(ended)).toMatchObject({
      status: 'completed',
      sessionId: 's1',
      endTime: at(9),
      exitStatus: { type: 'success' },
    })
  },
)

verifies(
  ['d4/move-any-failed', 'd4/failed-codon-has-reason'],
  'every live codon may fail, and then it carries its reason and what it was doing',
  () => {
    for (const status of liveStatuses) {
      expect(lastCodon(after(withCodon(status), moved('failed')))).toStrictEqual({
        ...lastCodon(withCodon(status)),
        status: 'failed',
        failedDuring: status,
        endTime: at(9),
        exitStatus: { type: 'error', code: 1 },
        failureReason: { type: 'api-error', retriable: true },
      })
    }
    const { failureReason: _, ...reasonless } = { failureReason: undefined, ...moved('failed').data }
    expect(parseTransition({ type: 'CodonTransitioned', data: reasonless })).toEqual({
      problem: 'CodonTransitioned: failureReason: Invalid input: expected object, received undefined',
    })
  },
)

verifies(['d4/move-any-skipped'], 'every live codon may be skipped', () => {
  for (const status of liveStatuses) {
    const skipped = lastCodon(after(withCodon(status), moved('skipped')))
    expect(skipped).toStrictEqual({ ...lastCodon(withCodon(status)), status: 'skipped', endTime: at(9) })
  }
})

verifies(['d4/terminal-statuses-final'], 'no move leads out of completed, failed or skipped', () => {
  for (const from of ['completed', 'failed', 'skipped'] as const) {
    for (const to of statuses) expect(attempted(from, to).ok, `${from} to ${to}`).toBe(false)
    for (const to of statuses) expect(attempted(from, to, breach).ok, `${from} to ${to}`).toBe(false)
  }
})

test('a codon is completed before it started only when a budget stopped it', () => {
  const { ok } = attempted('preparing', 'completed')
  expect(ok).toBe(false)
  const stopped = attempted('preparing', 'completed', breach)
  if (!stopped.ok) throw new Error(stopped.reason)
  expect(lastCodon(stopped.state)).toMatchObject({ status: 'completed', cost: 0, ...breach })
})

test('no budget opens any other move', () => {
  for (const from of statuses) {
    for (const [column, to] of statuses.entries()) {
      const allowed = graph[from][column] !== '-'
      expect(attempted(from, to, breach).ok, `${from} to ${to}`).toBe(allowed)
    }
  }
})

test('the session id of a codon stays with it to the end', () => {
  const early: Transition = {
    type: 'CodonTransitioned',
    data: { codonId: 'draft', to: 'initializing', sessionId: 's0' },
  }
  const launched = after(withCodon('starting'), early)
  for (const to of ['failed', 'skipped', 'completing-sentinels'] as const) {
    expect(lastCodon(after(launched, moved(to)))).toMatchObject({ sessionId: 's0' })
  }
  expect(lastCodon(after(launched, moved('running')))).toMatchObject({ sessionId: 's1' })
})

test('a codon ends with what its end says about budget and context', () => {
  const facts = { ...breach, contextExceeded: true }
  for (const to of ['completed', 'failed'] as const) {
    const end = { type: 'CodonTransitioned', data: { ...moved(to).data, ...facts } } as Transition
    expect(lastCodon(after(withCodon('completing-sentinels'), end))).toMatchObject({ status: to, ...facts })
  }
})

const breach = {
  budgetExceeded: { currency: 'dollars', limit: 1, used: 1.02, scope: 'hank' },
} as const

/** The move as it would come from the journal, so that a target which no transition can name is refused as well. */
function attempted(from: CodonStatus, to: CodonStatus, facts: object = {}): Reduction {
  const data = to === 'preparing' ? { codonId: 'draft', to } : moved(to).data
  const transition = parseTransition({ type: 'CodonTransitioned', data: { ...data, ...facts } })
  if ('problem' in transition) return { ok: false, reason: `draft: ${transition.problem}` }
  return reduce(withCodon(from), transition)
}
