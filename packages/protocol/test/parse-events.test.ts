import fc from 'fast-check'
import { expect, test } from 'vitest'
import { verifies } from '../../../test/conformance/verifies.ts'
import { type EventType, events, eventTypes, parseEvent, parseServerMessage } from '../src/index.ts'
import { eventData } from './arbitraries.ts'
import { fieldsOf } from './shape.ts'

const time = '2026-03-01T12:00:00.000Z'
const depth = 100_000
const info = { id: 'e1', timestamp: time, type: 'info', data: { message: 'hi' } }

verifies(
  ['2.13/server-event', '2.13/server-event-timestamp'],
  'an event is an id, an ISO 8601 timestamp, a type and an object of data, and none of them may be missing',
  () => {
    expect(parseEvent(info)).toEqual({ kind: 'event', event: info })
    for (const field of ['id', 'timestamp', 'type', 'data']) {
      const rest = Object.fromEntries(Object.entries(info).filter(([key]) => key !== field))
      expect(problemOf(rest)).toMatch(new RegExp(`\\b${field}: `))
    }
    for (const timestamp of ['yesterday', '', '2026-03-01', 1_772_366_400_000, '01.03.2026 12:00']) {
      expect(problemOf({ ...info, timestamp })).toContain('timestamp')
    }
    for (const data of [null, [], 'x']) expect(problemOf({ ...info, data })).toContain('data')
  },
)

verifies(['6/codon-started-start-time'], 'the start time of a codon is in ISO 8601 form', () => {
  const started = { codonId: 'a', codonName: 'A', sessionId: 's', startTime: time }
  expect(parseEvent({ ...info, type: 'codon.started', data: started }).kind).toBe('event')
  const data = { ...started, startTime: 'Sun Mar 01 2026' }
  expect(problemOf({ ...info, type: 'codon.started', data })).toBe(
    'codon.started: startTime: Invalid ISO datetime',
  )
})

test('unknown keys are kept, in the envelope and in the data', () => {
  const newer = { ...info, data: { message: 'hi', mood: { tone: 'calm' } }, origin: 'elsewhere' }
  expect(parseServerMessage(JSON.stringify(newer))).toEqual({ kind: 'event', event: newer })
})

test('an event type that does not exist yet is named and passed over', () => {
  for (const type of ['codon.paused', 'constructor', '__proto__', 'handshake']) {
    expect(parseEvent({ ...info, type })).toEqual({ kind: 'unknown', type })
  }
})

test('seq counts from 1', () => {
  expect(parseEvent({ ...info, seq: 1 }).kind).toBe('event')
  for (const seq of [0, -1, 1.5, '1', null]) expect(problemOf({ ...info, seq })).toContain('seq')
})

test('a tree nested 100,000 deep is a problem and not an exception', () => {
  const node = '{"name":"a","path":"a","isDirectory":true,"children":['
  const tree = `[${node.repeat(depth)}${']}'.repeat(depth)}]`
  const frame = `{"id":"e1","timestamp":"${time}","type":"filetree.updated","data":{"tree":${tree}}}`
  expect(parseServerMessage(frame)).toEqual({
    kind: 'problem',
    message: 'filetree.updated: nested too deeply',
  })
  const input = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
  const action = `{"codonId":"a","action":"tool_use","content":"","toolInput":${input}}`
  const deepInput = `{"id":"e1","timestamp":"${time}","type":"assistant.action","data":${action}}`
  expect(parseServerMessage(deepInput).kind).toBe('event')
})

test.each(eventTypes)('%s without one of its required fields is refused, and the field is named', type => {
  const required = Object.keys(fieldsOf(events[type].data)).filter(name => !name.endsWith('?'))
  const check = fc.property(eventData[type], fc.constantFrom(...required), (data, missing) => {
    const rest = Object.fromEntries(Object.entries(data).filter(([key]) => key !== missing))
    expect(problemOf({ ...info, type, data: rest })).toContain(`${type}: ${missing}: `)
  })
  fc.assert(check, { numRuns: 3 * required.length })
})

test.each(eventTypes)('%s is read without its optional fields', type => {
  const optional = new Set(optionalFields(type))
  const check = fc.property(eventData[type], data => {
    const rest = Object.fromEntries(Object.entries(data).filter(([key]) => !optional.has(key)))
    expect(parseEvent({ ...info, type, data: rest }).kind).toBe('event')
  })
  fc.assert(check, { numRuns: 5 })
})

test('a response is read with and without history, and keys that this client does not know are kept', () => {
  const data = { clientId: 'k1', mode: 'readonly', totalEvents: 3, region: 'eu' }
  const response = { id: 'e1', timestamp: time, type: 'handshake.response', data, hop: 2 }
  expect(parseServerMessage(JSON.stringify(response))).toEqual({ kind: 'handshake', response })
  const event = {
    id: 'e0',
    timestamp: time,
    type: 'info',
    data: { message: 'hi', mood: 'good' },
    seq: 3,
    trace: 'x',
  }
  const withHistory = { ...response, data: { ...data, eventHistory: [event] } }
  expect(parseServerMessage(JSON.stringify(withHistory))).toEqual({
    kind: 'handshake',
    response: withHistory,
  })
  const nameless = { ...response, data: { mode: 'readonly', totalEvents: 3 } }
  expect(parseServerMessage(JSON.stringify(nameless))).toMatchObject({
    kind: 'problem',
    message: expect.stringContaining('data.clientId'),
  })
})

function problemOf(event: object): string {
  const parsed = parseEvent(event)
  if (parsed.kind !== 'problem') throw new Error(`expected a problem: ${JSON.stringify(parsed)}`)
  return parsed.message
}

function optionalFields(type: EventType): readonly string[] {
  return Object.keys(fieldsOf(events[type].data))
    .filter(name => name.endsWith('?'))
    .map(name => name.slice(0, -1))
}
