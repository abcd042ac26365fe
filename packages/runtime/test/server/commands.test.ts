import { type CommandType, commands, commandTypes, type ErrorCode, errorCodes } from '@weave/protocol'
import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { clientFrame, opcode } from '../../../../test/support/raw-websocket.ts'
import { createGateway } from './fake-control.ts'
import { type Message, startTestServer, type TestClient, type TestServer } from './test-server.ts'

const coreTypes = commandTypes.filter(type => commands[type].category === 'core')

const data: Readonly<Partial<Record<CommandType, object>>> = {
  'codon.start': { codonId: 'draft' },
  'checkpoint.list': { runId: 'run-1' },
  'rollback.toCheckpoint': { checkpointSha: 'abcd1234' },
  'rollback.toCodon': { codonId: 'draft', checkpointType: 'start' },
}
const forReaders: readonly CommandType[] = [
  'checkpoint.list',
  'history.sync',
  'ping',
  'ping.broadcast',
  'server.shutdown',
]
const ownAnswers: Readonly<Partial<Record<CommandType, string>>> = {
  'checkpoint.list': 'checkpoint.list',
  'history.sync': 'history.batch',
  ping: 'pong',
  'ping.broadcast': 'pong',
}
const list = { runId: 'run-1', checkpoints: [], currentBranch: 'run-run-1' }

/** What the runner says in each of its states. */
const states: Readonly<Record<string, (type: CommandType) => ErrorCode | undefined>> = {
  ready: () => undefined,
  'a codon runs': type => (/^codon\.(start|next|redo)/.test(type) ? 'CODON_ALREADY_RUNNING' : undefined),
  'nothing runs': type => (/^codon\.(skip|forceStop)/.test(type) ? 'NO_CODON_RUNNING' : undefined),
  'a rollback': type => (/^(codon|rollback)\./.test(type) ? 'ROLLBACK_IN_PROGRESS' : undefined),
  'shutting down': () => 'SHUTTING_DOWN',
}

/** The answers to a command: everything with its id, up to what follows it. */
async function answersTo(client: TestClient, type: CommandType): Promise<readonly Message[]> {
  const before = client.messages().length
  client.command(type, data[type], 'tested')
  client.command('ping', undefined, 'marker')
  await client.next(message => message.commandId === 'marker')
  return client
    .messages()
    .slice(before)
    .filter(message => message.commandId === 'tested')
}

function serverIn(server: TestServer, state: (type: CommandType) => ErrorCode | undefined): void {
  server.control.runs.set('run-1', list)
  server.control.answer = command => {
    const code = state(command.type)
    return code === undefined ? { ok: true } : { ok: false, code, message: `because of ${code}` }
  }
}

describe('13 commands in two modes in five states', () => {
  for (const [state, codeFor] of Object.entries(states)) {
    verifies(
      [
        '5/readonly-commands',
        '5/readandwrite-commands',
        '7.1/code-insufficient-permissions',
        '7.1/code-rollback-in-progress',
        '7.1/severity-operation',
        'd5/command-id',
        'd5/error-shutting-down',
        'd5/error-table',
      ],
      `in the state "${state}" each is answered as its mode and the runner allow`,
      async () => {
        const server = await startTestServer()
        serverIn(server, codeFor)
        let cells = 0
        for (const mode of ['readonly', 'readandwrite'] as const) {
          const client = await server.client({ mode })
          for (const type of coreTypes) {
            const submittedBefore = server.control.submitted.length
            const answers = await answersTo(client, type)
            const isAllowed = mode === 'readandwrite' || forReaders.includes(type)
            const isOwn = ['history.sync', 'ping', 'ping.broadcast'].includes(type)
            const code = isAllowed ? (isOwn ? undefined : codeFor(type)) : 'INSUFFICIENT_PERMISSIONS'
            const own = ownAnswers[type]
            if (code !== undefined)
              expect(answers.map(answer => answer.data)).toEqual([
                { code, severity: errorCodes[code].severity, fatal: false, message: expect.any(String) },
              ])
            else expect(answers.map(answer => answer.type)).toEqual(own === undefined ? [] : [own])
            const reached = server.control.submitted.length - submittedBefore
            expect(reached).toBe(isAllowed && !isOwn ? 1 : 0)
            cells++
          }
        }
        expect(cells).toBe(13 * 2)
      },
    )
  }
})

verifies(
  ['d5/commands-in-order'],
  'commands reach the runner in the order of their arrival, whoever sent them, and are answered in order',
  async () => {
    const { client, control } = await startTestServer()
    const [a, b] = [await client(), await client()]
    const first = createGateway<void>()
    control.answer = async command => {
      if (command.id === 'a1') await first.promise
      return { ok: false, code: 'NO_CODON_RUNNING', message: '' }
    }
    a.command('codon.skip', undefined, 'a1')
    a.command('ping', undefined, 'a2')
    a.command('codon.skip', undefined, 'a3')
    a.command('history.sync', undefined, 'a4')
    a.command('checkpoint.list', { runId: 'run-1' }, 'a5')
    while (control.submitted.length < 3) await new Promise(resolve => setImmediate(resolve))
    b.command('codon.skip', undefined, 'b1')
    expect((await b.next('error')).commandId).toBe('b1')
    expect(control.submitted.map(command => command.id)).toEqual(['a1', 'a3', 'a5', 'b1'])
    expect(a.messages().filter(message => message.commandId !== undefined)).toEqual([])
    first.open()
    await a.next(message => message.commandId === 'a5')
    expect(a.messages().flatMap(message => message.commandId ?? [])).toEqual(['a1', 'a2', 'a3', 'a4', 'a5'])
  },
)

verifies(['4.1/ping'], 'ping is answered by a pong to the sender only', async () => {
  const { client } = await startTestServer()
  const [asking, other] = [await client({ mode: 'readonly' }), await client()]
  asking.command('ping', undefined, 'p')
  expect(await asking.next('pong')).toMatchObject({
    commandId: 'p',
    data: { message: 'pong', timestamp: expect.stringMatching(/Z$/) },
  })
  other.command('ping', undefined, 'own')
  expect((await other.next('pong')).commandId).toBe('own')
  expect(other.messages().filter(message => message.type === 'pong')).toHaveLength(1)
})

verifies(
  ['4.1/ping-broadcast', '6/pong-client-id'],
  'ping.broadcast sends everyone a pong that names the sender; only the sender gets its command id',
  async () => {
    const { client, stranger } = await startTestServer()
    const [asking, other, plain] = [await client(), await client({ mode: 'readonly' }), await stranger()]
    asking.command('ping.broadcast', undefined, 'all')
    const answer = await asking.next('pong')
    const heard = await other.next('pong')
    expect(answer.commandId).toBe('all')
    expect(heard.commandId).toBeUndefined()
    const { clientId } = asking.messages()[0]?.data ?? {}
    expect(answer.data['clientId']).toBe(clientId)
    expect(heard.data['clientId']).toBe(clientId)
    asking.command('ping', undefined, 'alone')
    expect(Object.keys((await asking.next('pong')).data)).toEqual(['message', 'timestamp'])
    expect(plain.messages()).toEqual([])
  },
)

verifies(
  [
    '4.1/checkpoint-list',
    'd5/checkpoint-list-broadcast',
    'd5/checkpoint-list-journaled',
    'd5/error-unknown-run',
  ],
  'the checkpoints of a run are told to everyone and journaled; an unknown run is told to the sender',
  async () => {
    const { client, control, journal } = await startTestServer()
    control.runs.set('run-1', list)
    const [asking, other] = [await client({ mode: 'readonly' }), await client()]
    asking.command('checkpoint.list', { runId: 'run-1' }, 'list')
    const answer = await asking.next('checkpoint.list')
    expect(answer).toMatchObject({ seq: 1, commandId: 'list', data: list })
    expect(await other.next('checkpoint.list')).toEqual(answer)
    expect(journal.lastSeq).toBe(1)
    asking.command('checkpoint.list', { runId: 'run-2' }, 'none')
    expect(await asking.next('error')).toMatchObject({ commandId: 'none', data: { code: 'UNKNOWN_RUN' } })
    expect(journal.lastSeq).toBe(1)
  },
)

verifies(
  ['d5/error-invalid-json', 'd5/error-invalid-command', 'd5/error-unknown-command', 'd5/binary-frame'],
  'what is no command says why, and names the field',
  async () => {
    const server = await startTestServer()
    const { client, control } = server
    const one = await client()
    const cases: readonly (readonly [text: string, code: ErrorCode, words: string, id?: string])[] = [
      ['{"id":', 'INVALID_JSON', 'JSON'],
      ['', 'INVALID_JSON', 'JSON'],
      ['[1]', 'INVALID_COMMAND', 'object'],
      ['{"type":"ping"}', 'INVALID_COMMAND', 'id'],
      ['{"id":"x","type":"codon.start"}', 'INVALID_COMMAND', 'codonId', 'x'],
      ['{"id":"x","type":"codon.start","data":{"codonId":7}}', 'INVALID_COMMAND', 'codonId', 'x'],
      ['{"id":"x","type":"ping","data":{"loud":true}}', 'INVALID_COMMAND', 'loud', 'x'],
      ['{"id":"x","type":"codon.explode"}', 'UNKNOWN_COMMAND', 'codon.explode', 'x'],
    ]
    for (const [text, code, words, id] of cases) {
      one.raw.sendText(text)
      const error = await one.next('error')
      expect(error.data['code']).toBe(code)
      expect(error.data['message']).toContain(words)
      expect(error.commandId).toBe(id)
    }
    one.raw.write(clientFrame('{"id":"x","type":"ping"}', { opcode: opcode.binary }))
    expect((await one.next('error')).data['code']).toBe('INVALID_JSON')
    const stranger = await server.stranger()
    stranger.raw.write(clientFrame('{"id":"x","type":"ping"}', { opcode: opcode.binary }))
    expect((await stranger.next('error')).data['code']).toBe('INVALID_JSON')
    expect(control.submitted).toEqual([])
  },
)

verifies(
  ['d5/command-error-unicast', 'd5/command-error-not-journaled'],
  'an error that answers a command is heard by its sender only and is not in the journal',
  async () => {
    const { client, control, journal } = await startTestServer()
    control.answer = () => ({ ok: false, code: 'NOTHING_TO_REDO', message: 'No codon has ended yet.' })
    const [asking, other] = [await client(), await client()]
    asking.command('codon.redo', undefined, 'redo')
    expect(await asking.next('error')).toMatchObject({
      commandId: 'redo',
      data: { code: 'NOTHING_TO_REDO', message: 'No codon has ended yet.', severity: 'operation' },
    })
    other.command('ping')
    await other.next('pong')
    expect(other.messages().some(message => message.type === 'error')).toBe(false)
    expect(journal.lastSeq).toBe(0)
  },
)

verifies(
  ['d5/other-error-broadcast'],
  'an error that answers no command is journaled and told to everyone',
  async () => {
    const { client, journal } = await startTestServer()
    const clients = [await client(), await client({ mode: 'readonly' })]
    journal.append('error', { message: 'the disk is nearly full', fatal: false, severity: 'warning' })
    for (const each of clients)
      expect(await each.next('error')).toMatchObject({ seq: 1, data: { severity: 'warning' } })
  },
)

describe('a fault inside', () => {
  verifies(
    ['d5/error-internal'],
    'a runner that throws or rejects is an internal error, said without its words',
    async () => {
      const { client, control } = await startTestServer()
      const one = await client()
      for (const answer of [
        () => Promise.reject(new Error('secret detail')),
        () => {
          throw new Error('secret detail')
        },
      ]) {
        control.answer = answer
        one.command('codon.next', undefined, 'n')
        const error = await one.next('error')
        expect(error).toMatchObject({ commandId: 'n', data: { code: 'INTERNAL_ERROR' } })
        expect(JSON.stringify(error)).not.toContain('secret detail')
      }
      one.command('ping')
      await one.next('pong')
    },
  )

  test('a journal that cannot be written answers checkpoint.list with an internal error', async () => {
    const { client, control, journal } = await startTestServer()
    control.runs.set('run-1', list)
    const one = await client()
    await journal.close()
    one.command('checkpoint.list', { runId: 'run-1' }, 'list')
    expect(await one.next('error')).toMatchObject({ commandId: 'list', data: { code: 'INTERNAL_ERROR' } })
  })
})

verifies(
  ['6/connection-state-not-journaled', '6/connection-state-unicast'],
  'what belongs to one connection goes to that one and into no journal',
  async () => {
    const { client, journal } = await startTestServer()
    const [asking, other] = [await client(), await client()]
    const before = other.messages().length
    asking.command('ping')
    await asking.next('pong')
    asking.command('history.sync')
    await asking.next('history.batch')
    journal.append('info', { message: 'mark' })
    await other.next('info')
    expect(
      other
        .messages()
        .slice(before)
        .map(message => message.type),
    ).toEqual(['info'])
    await journal.close()
    expect(journal.lastSeq).toBe(1)
  },
)

verifies(
  ['d14/checkpoint-sha-shape'],
  'a checkpointSha that is no sha is INVALID_COMMAND, and nobody is asked to act on it',
  async () => {
    const { client, control } = await startTestServer()
    const one = await client()
    const bad = ['', 'abc', 'HEAD', 'main', 'abcd ', ' abcd', 'abcd\n', '--exec', 'refs/heads/x', 'xyz12345']
    for (const checkpointSha of [...bad, 'f'.repeat(65), 1234, null]) {
      one.command('rollback.toCheckpoint', { checkpointSha }, 'bad')
      const answer = await one.next('error')
      expect(answer, String(checkpointSha)).toMatchObject({
        commandId: 'bad',
        data: { code: 'INVALID_COMMAND' },
      })
      expect(answer.data['message']).toContain('checkpointSha')
    }
    expect(control.submitted).toEqual([])
    one.command('rollback.toCheckpoint', { checkpointSha: 'ABCDef12' }, 'good')
    one.command('ping')
    await one.next('pong')
    expect(control.submitted).toMatchObject([{ id: 'good', data: { checkpointSha: 'ABCDef12' } }])
  },
)
