import fc from 'fast-check'
import { expect, test } from 'vitest'
import { verifies } from '../../../test/conformance/verifies.ts'
import {
  events,
  eventTypes,
  parseEvent,
  parseServerMessage,
  parseTransition,
  type ServerEvent,
  transitionTypes,
} from '../src/index.ts'
import { anyEvent, eventOf } from './arbitraries.ts'
import { transitionOf } from './transition-arbitraries.ts'

/** What one side writes the other side reads, unchanged. */

test.each(eventTypes)('%s comes back from the wire unchanged', type => {
  fc.assert(
    fc.property(eventOf(type), event => {
      expect(sent(event)).toStrictEqual({ kind: 'event', event })
    }),
    { numRuns: 30 },
  )
})

test.each(eventTypes)('the schema of %s takes nothing away from its data', type => {
  fc.assert(
    fc.property(eventOf(type), ({ data }) => {
      expect(events[type].data.parse(data)).toStrictEqual(data)
    }),
    { numRuns: 10 },
  )
})

verifies(['d11/same-envelope'], 'extension events travel in the envelope of all events', () => {
  const extensions = eventTypes.filter(type => events[type].category === 'extension')
  expect(extensions).toHaveLength(23)
  fc.assert(
    fc.property(fc.constantFrom(...extensions).chain(eventOf), event => {
      expect(Object.keys(event)).toEqual(expect.arrayContaining(['id', 'timestamp', 'type', 'data']))
      expect(sent(event)).toStrictEqual({ kind: 'event', event })
      expect(sent({ ...event, data: undefined }).kind).toBe('problem')
    }),
  )
})

verifies(
  ['6/history-batch'],
  'a history.batch carries events, each of which reads as the event it was, and says whether more follow',
  () => {
    const batch = fc.record({ events: fc.array(anyEvent, { maxLength: 5 }), hasMore: fc.boolean() })
    fc.assert(
      fc.property(batch, data => {
        const message = { id: 'b1', timestamp: '2026-03-01T12:00:00Z', type: 'history.batch', data }
        const read = sent(message)
        if (read.kind !== 'event' || read.event.type !== 'history.batch')
          throw new Error(JSON.stringify(read))
        expect(read.event.data.hasMore).toBe(data.hasMore)
        expect(read.event.data.events.map(parseEvent)).toStrictEqual(
          data.events.map(event => ({ kind: 'event', event })),
        )
      }),
    )
  },
)

test.each(transitionTypes)('the transition %s comes back from a state.transition event unchanged', type => {
  fc.assert(
    fc.property(transitionOf(type), transition => {
      const read = sent({
        id: 'e1',
        timestamp: '2026-03-01T12:00:00Z',
        type: 'state.transition',
        data: {
          transitionType: type,
          transition,
          resultingState: { currentRunId: null, runCount: 0, totalCost: 0, currentRunCost: 0 },
        },
      })
      if (read.kind !== 'event' || read.event.type !== 'state.transition')
        throw new Error(JSON.stringify(read))
      expect(parseTransition(read.event.data.transition)).toStrictEqual(transition)
    }),
    { numRuns: 20 },
  )
})

function sent(message: ServerEvent | object) {
  return parseServerMessage(JSON.stringify(message))
}
