import { expect } from 'vitest'
import { verifies } from '../../../test/conformance/verifies.ts'
import { commandEnvelope, eventEnvelope } from '../src/envelope.ts'
import { handshakeRequest, handshakeResponse } from '../src/handshake.ts'
import { commands, events } from '../src/index.ts'
import { fileNode } from '../src/values.ts'
import { fieldsOf, shapeOf } from './shape.ts'

/** Shared values, commands, envelopes and the handshake, copied from parts 2.13 and 4.1 and from decisions 5. */

const processExit =
  "{ type: 'success' } | { type: 'error', code: number } | { type: 'killed', signal: string }"
const failureTypes = "'timeout' | 'rate-limit' | 'api-error' | 'sentinel-load-failure' | 'unknown'"
const failureReason = `{ type: ${failureTypes}, retriable: boolean, message?: string, sentinelRefs?: string[] }`
const checkpointType = "'rig-setup' | 'completed' | 'error' | 'skipped'"
const codonStatus =
  "'preparing' | 'starting' | 'initializing' | 'running' | 'completing-sentinels' | 'completed' | 'failed' | 'skipped'"
const checkpointInfo = `{ codonId: string, codonName: string, checkpointType: ${checkpointType}, sha: string, status: ${codonStatus}, timestamp: time }`

verifies(
  [
    '2.13/process-exit-success',
    '2.13/process-exit-error',
    '2.13/process-exit-killed',
    '2.13/failure-reason-type-enum',
    '2.13/failure-reason-retriable',
    '2.13/failure-reason-message',
    '2.13/failure-reason-sentinel-refs',
    '2.13/checkpoint-info',
    '2.13/checkpoint-info-type-enum',
    '2.13/file-node',
    '2.13/file-node-children',
    '2.13/file-node-last-modified',
  ],
  'the shared values have exactly the fields of the specification',
  () => {
    const ended = fieldsOf(events['codon.completed'].data)
    expect(ended['exitStatus']).toBe(processExit)
    expect(ended['failureReason?']).toBe(failureReason)
    expect(fieldsOf(events['checkpoint.list'].data)['checkpoints']).toBe(`(${checkpointInfo})[]`)
    expect(fieldsOf(fileNode)).toEqual({
      name: 'string',
      path: 'string',
      isDirectory: 'boolean',
      children: 'FileNode[]',
      'lastModified?': 'string',
    })
  },
)

verifies(
  [
    '4.1/codon-start-skip-pre-commands',
    '4.1/rollback-to-checkpoint-auto-restart',
    '4.1/rollback-to-codon-checkpoint-type-enum',
    '4.1/rollback-to-codon-auto-restart',
    '4.1/rollback-to-last-success-auto-restart',
  ],
  'commands take exactly the fields of the specification, and a boolean that is left out is false',
  () => {
    const taken = Object.fromEntries(
      Object.entries(commands).map(([type, row]) => [type, fieldsOf(row.data)]),
    )
    expect(taken).toEqual({
      'codon.start': { codonId: 'string', 'skipPreCommands?': 'boolean' },
      'codon.next': {},
      'codon.skip': {},
      'codon.redo': {},
      'codon.forceStop': { 'reason?': 'string' },
      'checkpoint.list': { runId: 'string' },
      'rollback.toCheckpoint': { checkpointSha: 'string', 'autoRestart?': 'boolean' },
      'rollback.toCodon': {
        codonId: 'string',
        checkpointType: `${checkpointType} | 'start' | 'end'`,
        'autoRestart?': 'boolean',
      },
      'rollback.toLastSuccess': { 'autoRestart?': 'boolean' },
      'server.shutdown': { 'reason?': 'string' },
      ping: {},
      'ping.broadcast': {},
      'history.sync': {},
      'events.select': {
        'types?': 'string[]',
        'filter?': '{ types?: string[], codon?: string, text?: string, failed?: boolean }',
      },
      'gate.decide': { seq: 'number', decision: "'approve' | 'reject'", 'note?': 'string' },
      'gate.hold': { 'before?': 'string' },
      'gate.release': { gateId: 'string' },
    })
    expect(commands['codon.start'].data.parse({ codonId: 'a' }).skipPreCommands).toBe(false)
    expect(commands['rollback.toCheckpoint'].data.parse({ checkpointSha: 'abcd' }).autoRestart).toBe(false)
    const toCodon = { codonId: 'a', checkpointType: 'start' }
    expect(commands['rollback.toCodon'].data.parse(toCodon).autoRestart).toBe(false)
    expect(commands['rollback.toLastSuccess'].data.parse({}).autoRestart).toBe(false)
  },
)

verifies(
  [
    '2.13/server-event',
    '2.13/client-command',
    '4.1/handshake-mode-enum',
    'd5/handshake-shape',
    'd5/handshake-id-allowed',
  ],
  'envelopes and the handshake have exactly the fields of the specification and of decisions 5',
  () => {
    const envelope = { id: 'string', timestamp: 'time', type: 'string', data: 'map' }
    const ours = { 'seq?': 'number', 'commandId?': 'string' }
    expect(fieldsOf(eventEnvelope)).toEqual({ ...envelope, ...ours })
    expect(fieldsOf(commandEnvelope)).toEqual({ id: 'string', type: 'string', 'data?': 'map' })
    expect(fieldsOf(handshakeRequest)).toEqual({
      'id?': 'string',
      type: "'handshake'",
      data: shapeOf(handshakeRequest.shape.data),
    })
    expect(fieldsOf(handshakeRequest.shape.data)).toEqual({
      mode: "'readonly' | 'readandwrite'",
      'sendPreviousEvents?': 'boolean',
      'since?': 'number',
      'extensions?': 'string[]',
      'token?': 'string',
    })
    expect(fieldsOf(handshakeResponse.shape.data)).toEqual({
      clientId: 'string',
      mode: "'readonly' | 'readandwrite'",
      'eventHistory?': `(${shapeOf(eventEnvelope)})[]`,
      totalEvents: 'number',
      'lastSeq?': 'number',
    })
  },
)
