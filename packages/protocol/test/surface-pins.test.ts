import { expect, test } from 'vitest'
import { verifies } from '../../../test/conformance/verifies.ts'
import {
  commands,
  commandTypes,
  errorCodes,
  events,
  eventTypes,
  parseClientMessage,
  transitionTypes,
  weaveExtension,
} from '../src/index.ts'

/** The names and policies of the protocol, written out. A row that is added, lost or changed fails here first. */

const commandAccess = {
  'codon.start': 'readandwrite',
  'codon.next': 'readandwrite',
  'codon.skip': 'readandwrite',
  'codon.redo': 'readandwrite',
  'codon.forceStop': 'readandwrite',
  'checkpoint.list': 'any',
  'rollback.toCheckpoint': 'readandwrite',
  'rollback.toCodon': 'readandwrite',
  'rollback.toLastSuccess': 'readandwrite',
  'server.shutdown': 'any',
  ping: 'any',
  'ping.broadcast': 'any',
  'history.sync': 'any',
}

const extensionCommands = {
  'events.select': 'any',
  'gate.decide': 'readandwrite',
  'gate.hold': 'readandwrite',
  'gate.release': 'readandwrite',
}

const specEvents = {
  'server.idle': 'server-state journal',
  'codon.started': 'server-state journal',
  'codon.completed': 'server-state journal',
  'state.snapshot': 'server-state journal',
  'token.usage': 'server-state journal',
  info: 'server-state journal',
  error: 'server-state either',
  'checkpoint.list': 'server-state journal',
  'rollback.started': 'rollback journal',
  'rollback.progress': 'rollback journal',
  'rollback.codonCheckpoint': 'rollback journal',
  'rollback.rigCleanup': 'rollback journal',
  'rollback.completed': 'rollback journal',
  'state.transition': 'rollback journal',
  'assistant.action': 'agentic journal',
  'tool.result': 'agentic journal',
  'file.updated': 'agentic journal',
  'filetree.updated': 'agentic journal',
  'sentinel.loaded': 'sentinel journal',
  'sentinel.unloaded': 'sentinel journal',
  'sentinel.output': 'sentinel journal',
  'sentinel.error': 'sentinel journal',
  'sentinel.triggered': 'sentinel journal',
  'server.ready': 'connection direct',
  pong: 'connection direct',
  'history.batch': 'connection direct',
  'incomplete.codon': 'connection direct',
}

const extensionEvents = {
  'run.started': 'extension journal',
  'run.completed': 'extension journal',
  'rig.output': 'extension journal',
  'rig.operation': 'extension journal',
  'loop.iteration.completed': 'extension journal',
  'codon.extended': 'extension journal',
  'codon.retrying': 'extension journal',
  'run.parked': 'extension journal',
  'events.selected': 'extension direct',
  'run.activity': 'extension direct',
  'archive.completed': 'extension journal',
  'outputs.copied': 'extension journal',
  'budget.exceeded': 'extension journal',
  'preflight.result': 'extension journal',
  'gate.armed': 'extension journal',
  'gate.waiting': 'extension journal',
  'gate.decided': 'extension journal',
  'rule.fired': 'extension journal',
  'fleet.turn': 'extension journal',
  'fleet.published': 'extension journal',
  'fleet.waiting': 'extension journal',
  'fleet.rest': 'extension journal',
  'fleet.lost': 'extension journal',
}

const severities = {
  HANDSHAKE_REQUIRED: 'operation',
  ALREADY_HANDSHAKEN: 'operation',
  INSUFFICIENT_PERMISSIONS: 'operation',
  ROLLBACK_IN_PROGRESS: 'operation',
  CODON_ALREADY_RUNNING: 'operation',
  NO_CODON_RUNNING: 'operation',
  NOTHING_TO_REDO: 'operation',
  NO_NEXT_CODON: 'operation',
  INVALID_JSON: 'operation',
  INVALID_COMMAND: 'operation',
  UNKNOWN_COMMAND: 'operation',
  UNKNOWN_CODON: 'operation',
  UNKNOWN_CHECKPOINT: 'operation',
  AMBIGUOUS_CHECKPOINT: 'operation',
  UNKNOWN_RUN: 'operation',
  UNKNOWN_GATE: 'operation',
  GATE_DECIDED: 'operation',
  GATE_STALE: 'operation',
  SHUTTING_DOWN: 'operation',
  MESSAGE_TOO_LARGE: 'operation',
  INTERNAL_ERROR: 'operation',
}

verifies(['4.1/command-enum'], 'the protocol has these 13 commands and no other', () => {
  const core = commandTypes.filter(type => commands[type].category === 'core')
  expect(core).toHaveLength(13)
  expect(core.toSorted()).toEqual(Object.keys(commandAccess).toSorted())
})

verifies(
  ['gates/commands'],
  'four more commands exist for clients that ask for the extension, three of them for gates',
  () => {
    const extended = commandTypes.filter(type => commands[type].category === 'extension')
    expect(extended.toSorted()).toEqual(Object.keys(extensionCommands).toSorted())
    for (const type of extended) {
      const text = JSON.stringify({ id: 'c1', type, data: { filter: 'none', seq: 'not a number' } })
      expect(parseClientMessage(text)).toMatchObject({ code: 'INVALID_COMMAND' })
      expect(parseClientMessage(text, words => words, { extensions: false })).toEqual({
        kind: 'problem',
        code: 'UNKNOWN_COMMAND',
        message: `There is no command "${type}".`,
        commandId: 'c1',
      })
    }
  },
)

test('five commands are open to every client, all others only to readandwrite clients', () => {
  expect(mapped(commands, row => row.access)).toEqual({ ...commandAccess, ...extensionCommands })
  expect(Object.values(commandAccess).filter(access => access === 'any')).toHaveLength(5)
})

verifies(
  ['4.1/event-count', 'd11/event-table'],
  'the event table has the 27 events of the specification and the 23 extension events, each in its category',
  () => {
    expect(Object.keys(specEvents)).toHaveLength(27)
    expect(Object.keys(extensionEvents)).toHaveLength(23)
    expect(eventTypes).toHaveLength(50)
    const categories = mapped({ ...specEvents, ...extensionEvents }, policy => policy.split(' ')[0])
    expect(mapped(events, row => row.category)).toEqual(categories)
  },
)

test('every event has the delivery of its category, and only an error may go either way', () => {
  expect(mapped(events, row => `${row.category} ${row.delivery}`)).toEqual({
    ...specEvents,
    ...extensionEvents,
  })
})

test('state changes, ends and answers wait for the disk before they are told', () => {
  const synced = eventTypes.filter(type => events[type].durability === 'synced')
  expect(synced.toSorted()).toEqual([
    'budget.exceeded',
    'checkpoint.list',
    'codon.completed',
    'gate.armed',
    'gate.decided',
    'gate.waiting',
    'preflight.result',
    'rollback.completed',
    'rollback.started',
    'rule.fired',
    'run.completed',
    'state.transition',
  ])
})

verifies(['6/state-transition-type-enum'], 'there are these 13 transition types and no other', () => {
  expect(transitionTypes).toHaveLength(13)
  expect(transitionTypes.toSorted()).toEqual([
    'AssistantMessageCountUpdated',
    'CheckpointCreated',
    'CodonFinalCostSet',
    'CodonStarted',
    'CodonTransitioned',
    'CostsIncremented',
    'CostsUpdated',
    'InitialCheckpointSet',
    'RunCompleted',
    'RunCrashed',
    'RunFailed',
    'RunStarted',
    'SentinelStatesUpdated',
  ])
  for (const type of transitionTypes) {
    expect(transitionEvent.safeParse(stateTransition(type)).success, type).toBe(true)
  }
  expect(transitionEvent.safeParse(stateTransition('RunPaused')).success).toBe(false)
})

verifies(
  ['d5/error-message-too-large'],
  'there are these 21 error codes, and each speaks of one failed operation',
  () => {
    expect(mapped(errorCodes, row => row.severity)).toEqual(severities)
    expect(Object.keys(severities)).toHaveLength(21)
  },
)

test('every row of every table says in words what it is for', () => {
  for (const rows of [commands, events, errorCodes]) {
    for (const [name, row] of Object.entries(rows)) expect(row.summary, name).toMatch(/\S.*\.$/)
  }
})

test('a client asks for extension events by the name weave', () => {
  expect(weaveExtension).toBe('weave')
})

const transitionEvent = events['state.transition'].data

function stateTransition(transitionType: string) {
  const resultingState = { currentRunId: null, runCount: 0, totalCost: 0, currentRunCost: 0 }
  return { transitionType, transition: { type: transitionType, data: {} }, resultingState }
}

function mapped<Row, Out>(table: Readonly<Record<string, Row>>, read: (row: Row) => Out) {
  return Object.fromEntries(Object.entries(table).map(([name, row]) => [name, read(row)]))
}
