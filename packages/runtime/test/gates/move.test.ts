import type { JournaledEvent } from '@weave/protocol'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { emptyBook, type GateBook, gateMove, heard, type Place } from '../../src/gates/index.ts'
import { codonAt, type PlannedGate } from '../../src/plan/index.ts'
import { codonPlan, loopPlan, planOf } from '../runner/plans.ts'

const plan = planOf(codonPlan('a'), loopPlan('l', 3, [codonPlan('x'), codonPlan('y')]), codonPlan('z'))
const gates: readonly PlannedGate[] = [
  { id: 'g', before: 'y' },
  { id: 'h', after: 'l', redo: { from: 'x', times: 2 } },
  { id: 'i', before: 'a' },
]
const at = (item: number, iteration: number, index: number) => codonAt(plan, { item, iteration, index })
const order = [at(0, 0, 0), ...[0, 1, 2].flatMap(n => [at(1, n, 0), at(1, n, 1)]), at(2, 0, 0)]

/** Between two codons of the plan, in a run. */
function placeBetween(index: number, runId: string): Place {
  const last = order[index - 1]
  const next = order[index]
  if (!last) return { next }
  const record = { codonId: last.runtimeId, attempt: 1 } as never
  return { next, last: { runId, record, at: last } }
}

type Deed = 'ask' | 'approved' | 'rejected' | 'expired' | 'withdrawn' | 'bypassed' | 'rollback' | 'hold'
const deeds = fc.array(
  fc.record({
    deed: fc.constantFrom<Deed>(
      'ask',
      'approved',
      'rejected',
      'expired',
      'withdrawn',
      'bypassed',
      'rollback',
      'hold',
    ),
    index: fc.nat({ max: order.length }),
  }),
  { maxLength: 30 },
)

/** One deed as the event that the journal would have; undefined: it cannot happen now. */
function eventOf(book: GateBook, { deed, index }: { deed: Deed; index: number }, seq: number) {
  const head = { id: `e${seq}`, seq, timestamp: new Date(seq * 1000).toISOString() }
  const by = { via: 'cli' } as const
  if (deed === 'hold') return { ...head, type: 'gate.armed', data: { gateId: `hold-${book.armed + 1}`, by } }
  if (deed === 'rollback') return { ...head, type: 'rollback.started', data: {} }
  if (deed === 'ask') {
    const place = placeBetween(index, 'r')
    const move = gateMove({ gates, dropped: new Set() }, book, place)
    if (move.kind !== 'ask' || book.waiting) return undefined
    const { last, next } = place
    const where = last && { codonId: last.record.codonId, runId: last.runId, attempt: last.record.attempt }
    return {
      ...head,
      type: 'gate.waiting',
      data: { gateId: move.gate.id, ...where, next: next?.runtimeId, round: move.round },
    }
  }
  if (!book.waiting) return undefined
  const { seq: waitingSeq, data } = book.waiting
  return {
    ...head,
    type: 'gate.decided',
    data: { waitingSeq, gateId: data.gateId, decision: deed, by, waitedMs: 0 },
  }
}

function told(story: readonly { deed: Deed; index: number }[]): {
  book: GateBook
  events: readonly JournaledEvent[]
} {
  const events: JournaledEvent[] = []
  let book = emptyBook
  for (const deed of story) {
    const event = eventOf(book, deed, events.length + 1) as JournaledEvent | undefined
    if (!event) continue
    events.push(event)
    book = heard(book, event)
  }
  return { book, events }
}

verifies(
  ['gates/identity', 'gates/places'],
  'after any history a gate of the plan is passed only by a yes to it at this very attempt, since the last rollback',
  () => {
    fc.assert(
      fc.property(deeds, fc.nat({ max: order.length }), (story, index) => {
        const { book, events } = told(story)
        const place = placeBetween(index, 'r')
        if (gateMove({ gates, dropped: new Set() }, book, place).kind !== 'pass') return
        const since = events.slice(events.findLastIndex(({ type }) => type === 'rollback.started') + 1)
        const codonId = place.last?.record.codonId
        const standing = gates.filter(
          gate => gateMove({ gates: [gate], dropped: new Set() }, emptyBook, place).kind === 'ask',
        )
        for (const { id } of standing) {
          const questions = since.filter(
            ({ type, data }) => type === 'gate.waiting' && data.gateId === id && data.codonId === codonId,
          )
          const yes = since.some(
            ({ type, data }) =>
              type === 'gate.decided' &&
              (data.decision === 'approved' || data.decision === 'bypassed') &&
              questions.some(({ seq }) => seq === data.waitingSeq),
          )
          expect(yes, id).toBe(true)
        }
      }),
      { numRuns: 2_000 },
    )
  },
)

verifies(['gates/identity'], 'what was approved before a rollback is asked about after it', () => {
  const { book } = told([
    { deed: 'ask', index: 2 },
    { deed: 'approved', index: 0 },
  ])
  const moveIn = (known: GateBook) =>
    gateMove({ gates, dropped: new Set() }, known, placeBetween(2, 'r')).kind
  expect(moveIn(book)).toBe('pass')
  expect(moveIn(heard(book, { type: 'rollback.started', data: {} } as JournaledEvent))).toBe('ask')
})

verifies(['gates/durable'], 'a start that reads the journal knows what the last one knew', () => {
  fc.assert(
    fc.property(deeds, story => {
      const { book, events } = told(story)
      const written = events.map(event => JSON.parse(JSON.stringify(event)) as JournaledEvent)
      expect(written.reduce(heard, emptyBook)).toEqual(book)
    }),
  )
})

test('an open question is waited at, at its own place and nowhere else', () => {
  const { book } = told([{ deed: 'ask', index: 0 }])
  expect(gateMove({ gates, dropped: new Set() }, book, placeBetween(0, 'r')).kind).toBe('wait')
  expect(gateMove({ gates, dropped: new Set() }, book, placeBetween(1, 'r')).kind).toBe('pass')
})
