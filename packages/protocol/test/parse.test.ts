import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { verifies } from '../../../test/conformance/verifies.ts'
import {
  type ClientMessage,
  commandTypes,
  eventTypes,
  parseClientMessage,
  parseServerMessage,
  parseTransition,
} from '../src/index.ts'
import { json, text } from './value-arbitraries.ts'

const time = '2026-03-01T12:00:00.000Z'
const depth = 100_000

/** Enough data for each command, nothing that has a default. */
const smallest: Readonly<Record<string, object>> = {
  'codon.start': { codonId: 'draft' },
  'checkpoint.list': { runId: 'r1' },
  'rollback.toCheckpoint': { checkpointSha: 'abcd' },
  'rollback.toCodon': { codonId: 'draft', checkpointType: 'end' },
  'gate.decide': { seq: 1, decision: 'approve' },
  'gate.release': { gateId: 'hold-1' },
}

describe('commands', () => {
  verifies(
    ['4.1/command-envelope', '2.13/client-command'],
    'every command is an id, a type and data, and without a string id or a type it is none',
    () => {
      for (const type of commandTypes) {
        const data = smallest[type] ?? {}
        expect(command({ id: 'c1', type, data })).toMatchObject({ id: 'c1', type, data })
        expect(refused({ type, data }).message, type).toMatch(/\bid\b/)
        expect(refused({ id: 7, type, data }).message, type).toMatch(/\bid\b/)
      }
      expect(refused({ id: 'c1', data: {} }).message).toMatch(/\btype\b/)
    },
  )

  verifies(['2.13/client-command'], 'data may be left out, and when it is there it is an object', () => {
    expect(command({ id: 'c1', type: 'ping' })).toEqual({ id: 'c1', type: 'ping', data: {} })
    for (const data of [null, [], 'x', 7, true]) {
      expect(refused({ id: 'c1', type: 'ping', data }).message).toMatch(/\bdata\b/)
    }
  })

  verifies(
    [
      '4.1/codon-start-skip-pre-commands',
      '4.1/rollback-to-checkpoint-auto-restart',
      '4.1/rollback-to-codon-auto-restart',
      '4.1/rollback-to-last-success-auto-restart',
    ],
    'a boolean that is left out is filled in with false, and one that is no boolean is refused',
    () => {
      const flags = {
        'codon.start': 'skipPreCommands',
        'rollback.toCheckpoint': 'autoRestart',
        'rollback.toCodon': 'autoRestart',
        'rollback.toLastSuccess': 'autoRestart',
      }
      for (const [type, flag] of Object.entries(flags)) {
        const data = smallest[type] ?? {}
        expect(command({ id: 'c1', type, data }).data).toEqual({ ...data, [flag]: false })
        const set = { ...data, [flag]: true }
        expect(command({ id: 'c1', type, data: set }).data).toEqual(set)
        expect(refused({ id: 'c1', type, data: { ...data, [flag]: 'true' } }).message).toContain(flag)
      }
    },
  )

  verifies(
    ['4.1/rollback-to-codon-checkpoint-type-enum'],
    'rollback.toCodon takes the four checkpoint types and the two aliases',
    () => {
      for (const checkpointType of ['rig-setup', 'completed', 'error', 'skipped', 'start', 'end']) {
        const data = { codonId: 'draft', checkpointType }
        expect(command({ id: 'c1', type: 'rollback.toCodon', data }).data).toMatchObject(data)
      }
      for (const checkpointType of ['started', 'END', '', null, undefined]) {
        const data = { codonId: 'draft', checkpointType }
        expect(refused({ id: 'c1', type: 'rollback.toCodon', data }).message).toContain('checkpointType')
      }
    },
  )

  verifies(
    ['d7/rollback-short-prefix'],
    'rollback.toCheckpoint takes a hexadecimal sha or a prefix of at least 4 characters',
    () => {
      for (const checkpointSha of [
        'abcd',
        'ABCD',
        '0123456789abcdef0123456789abcdef01234567',
        'f'.repeat(64),
      ]) {
        expect(
          command({ id: 'c', type: 'rollback.toCheckpoint', data: { checkpointSha } }).data,
        ).toMatchObject({
          checkpointSha,
        })
      }
      for (const checkpointSha of ['abc', 'HEAD', 'abcd ', '--exec', 'f'.repeat(65), 'abcd\n']) {
        const answer = refused({ id: 'c', type: 'rollback.toCheckpoint', data: { checkpointSha } })
        expect(answer.message).toContain('checkpointSha')
      }
    },
  )

  test.each(commandTypes)('%s refuses a key that it does not know, by name', type => {
    const data = smallest[type] ?? {}
    expect(refused({ id: 'c1', type, data: { ...data, skipPreCommand: true } }).message).toContain(
      'skipPreCommand',
    )
    expect(refused({ id: 'c1', type, data, when: 'now' }).message).toContain('when')
  })

  test('a missing field is named together with its command', () => {
    for (const [type, data] of Object.entries(smallest)) {
      for (const missing of Object.keys(data)) {
        const rest = Object.fromEntries(Object.entries(data).filter(([key]) => key !== missing))
        expect(refused({ id: 'c1', type, data: rest }).message).toMatch(
          new RegExp(`^${type}: data\\.${missing}: `),
        )
      }
    }
  })

  test('an empty codon id and an empty run id name nothing and are refused', () => {
    expect(refused({ id: 'c1', type: 'codon.start', data: { codonId: '' } }).message).toContain('codonId')
    expect(refused({ id: 'c1', type: 'checkpoint.list', data: { runId: '' } }).message).toContain('runId')
  })

  test('a command that does not exist is quoted in short, and names of object methods are no commands', () => {
    for (const type of ['codon.stop', 'handshake.response', 'constructor', '__proto__', 'toString']) {
      expect(problem({ id: 'c1', type })).toMatchObject({ code: 'UNKNOWN_COMMAND', commandId: 'c1' })
      expect(problem({ id: 'c1', type }).message).toContain(type)
    }
    expect(problem({ id: 'c1', type: 'x'.repeat(1_000_000) }).message.length).toBeLessThan(100)
  })

  test('text that is not JSON is told apart from JSON that is no message', () => {
    for (const frame of [
      '',
      ' ',
      '{',
      'ping',
      '{"id":"c1",}',
      '\u0000',
      '['.repeat(depth),
      '{"a":'.repeat(depth),
    ]) {
      expect(parseClientMessage(frame)).toEqual({
        kind: 'problem',
        code: 'INVALID_JSON',
        message: 'The frame is not JSON.',
      })
    }
    for (const frame of ['null', '7', '1e400', '"ping"', '[]', '[{"id":"c1","type":"ping"}]', 'true']) {
      expect(parseClientMessage(frame)).toMatchObject({ kind: 'problem', code: 'INVALID_COMMAND' })
    }
  })

  test('a problem answers to the id of the command as long as there is a usable one', () => {
    expect(problem({ id: 'c1', type: 'nope' }).commandId).toBe('c1')
    expect(problem({ id: '\ud800', type: 'nope' }).commandId).toBe('\ud800')
    expect(problem({ id: 'i'.repeat(256), type: 'nope' }).commandId).toHaveLength(256)
    for (const id of ['', 7, null, 'i'.repeat(257)]) {
      expect(problem({ id, type: 'ping' })).not.toHaveProperty('commandId')
    }
  })

  test('a __proto__ key is an unknown key and touches no prototype', () => {
    const frames = [
      '{"id":"c1","type":"ping","__proto__":{"type":"codon.skip"}}',
      '{"id":"c1","type":"ping","data":{"__proto__":{"polluted":true}}}',
      '{"id":"c1","type":"codon.start","data":{"codonId":"a","__proto__":{"skipPreCommands":true}}}',
      '{"id":"c1","type":"codon.start","data":{"__proto__":{"codonId":"a"}}}',
      '{"type":"handshake","data":{"mode":"readonly","__proto__":{"token":"t"}}}',
      '{"__proto__":{"id":"c1","type":"ping"}}',
    ]
    for (const frame of frames) {
      expect(parseClientMessage(frame), frame).toMatchObject({ kind: 'problem', code: 'INVALID_COMMAND' })
    }
    expect({}).not.toHaveProperty('polluted')
  })

  test('a frame nested 100,000 deep is answered like any other', () => {
    const deep = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
    expect(parseClientMessage(deep)).toMatchObject({ kind: 'problem', code: 'INVALID_COMMAND' })
    expect(parseClientMessage(`${'['.repeat(depth)}${']'.repeat(depth)}`).kind).toBe('problem')
    const frame = `{"id":"c1","type":"codon.start","data":{"codonId":${deep}}}`
    expect(parseClientMessage(frame)).toMatchObject({ kind: 'problem', commandId: 'c1' })
  })

  test('a message stays short however long the names in the frame are', () => {
    const longKey = refused({ id: 'c1', type: 'ping', data: { ['k'.repeat(1_000_000)]: 1 } })
    expect(longKey.message.length).toBeLessThan(1_100)
    const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`key${n}`, n]))
    expect(refused({ id: 'c1', type: 'ping', data: many }).message.length).toBeLessThan(1_100)
  })
})

describe('the handshake', () => {
  verifies(
    ['4.1/handshake-mode-required', '4.1/handshake-mode-enum', '4.1/handshake-send-previous-events-default'],
    'a handshake needs one of two modes, and asks for no history unless it says so',
    () => {
      for (const mode of ['readonly', 'readandwrite']) {
        expect(parse({ type: 'handshake', data: { mode } })).toEqual({
          kind: 'handshake',
          handshake: { type: 'handshake', data: { mode, sendPreviousEvents: false } },
        })
      }
      for (const data of [{}, { mode: 'write' }, { mode: null }, { mode: ['readonly'] }]) {
        expect(refused({ type: 'handshake', data }).message).toContain('data.mode')
      }
      const asking = { mode: 'readonly', sendPreviousEvents: true }
      expect(parse({ type: 'handshake', data: asking })).toMatchObject({ handshake: { data: asking } })
      const unsure = { mode: 'readonly', sendPreviousEvents: 1 }
      expect(refused({ type: 'handshake', data: unsure }).message).toContain('sendPreviousEvents')
    },
  )

  verifies(
    ['d5/handshake-shape', 'd5/handshake-id-allowed'],
    'a handshake may have an id, since, extensions and a token, and nothing else',
    () => {
      const whole = {
        id: 'h1',
        type: 'handshake',
        data: {
          mode: 'readandwrite',
          sendPreviousEvents: true,
          since: 12,
          extensions: ['weave'],
          token: 't',
        },
      }
      expect(parse(whole)).toEqual({ kind: 'handshake', handshake: whole })
      const { mode } = whole.data
      expect(refused({ type: 'handshake', data: { mode, sinse: 12 } }).message).toContain('sinse')
      expect(refused({ type: 'handshake', data: { mode }, version: 1 }).message).toContain('version')
      expect(refused({ type: 'handshake' }).message).toContain('data')
    },
  )

  test('since is a whole number that a computer can count to', () => {
    for (const since of ['-1', '1.5', '1e400', '9007199254740993', '"12"', 'null']) {
      const frame = `{"type":"handshake","data":{"mode":"readonly","since":${since}}}`
      expect(parseClientMessage(frame), since).toMatchObject({ code: 'INVALID_COMMAND' })
    }
    const most = '{"type":"handshake","data":{"mode":"readonly","since":9007199254740991}}'
    expect(parseClientMessage(most).kind).toBe('handshake')
  })
})

describe('whatever arrives', () => {
  const frames = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: 'grapheme' }),
    fc.json(),
    json.map(value => JSON.stringify(value)),
    nearlyMessages().map(value => JSON.stringify(value)),
  )

  test('a client message is a handshake, a command or a problem with a code and words', () => {
    const check = fc.property(frames, frame => {
      const message = parseClientMessage(frame)
      expect(['handshake', 'command', 'problem']).toContain(message.kind)
      if (message.kind === 'problem') expect(message.message).not.toBe('')
    })
    fc.assert(check, { numRuns: 1_500 })
  })

  test('a server message is an event, a handshake, an unknown type or a problem with words', () => {
    const check = fc.property(frames, frame => {
      const message = parseServerMessage(frame)
      expect(['event', 'handshake', 'unknown', 'problem']).toContain(message.kind)
      if (message.kind === 'problem') expect(message.message).not.toBe('')
    })
    fc.assert(check, { numRuns: 1_500 })
  })

  test('a transition is read or explained', () => {
    const check = fc.property(text, json, (type, data) => {
      expect(parseTransition({ type, data })).toEqual({ problem: `unknown transition type ${type}` })
      expect(parseTransition({ type: 'RunStarted', data })).toHaveProperty('problem')
    })
    fc.assert(check, { numRuns: 200 })
  })
})

/** Objects with the right keys and arbitrary values: these get further than arbitrary JSON. */
function nearlyMessages(): fc.Arbitrary<object> {
  const type = fc.oneof(
    fc.constantFrom<string>(...commandTypes, ...eventTypes, 'handshake', 'handshake.response'),
    text,
  )
  const data = fc.oneof(json, fc.dictionary(fc.constantFrom('codonId', 'mode', 'message', '__proto__'), json))
  return fc.record(
    { id: fc.oneof(text, json), type, data, timestamp: fc.constantFrom(time, 'x') },
    { requiredKeys: [] },
  )
}

function parse(message: object): ClientMessage {
  return parseClientMessage(JSON.stringify(message))
}

function command(message: object) {
  const parsed = parse(message)
  if (parsed.kind !== 'command') throw new Error(`expected a command: ${JSON.stringify(parsed)}`)
  return parsed.command
}

function problem(message: object) {
  const parsed = parse(message)
  if (parsed.kind !== 'problem') throw new Error(`expected a problem: ${JSON.stringify(parsed)}`)
  return parsed
}

function refused(message: object) {
  const parsed = problem(message)
  expect(parsed.code).toBe('INVALID_COMMAND')
  return parsed
}
