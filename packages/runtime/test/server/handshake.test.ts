import { once } from 'node:events'
import { expect } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { clientFrame, closeFrame, opcode } from '../../../../test/support/raw-websocket.ts'
import { createTestClock } from '../../../../test/support/test-clock.ts'
import { createGateway } from './fake-control.ts'
import { readyData, startTestServer, type TestClient } from './test-server.ts'

/** The server has read all that came before. */
async function pong({ raw }: TestClient): Promise<void> {
  const from = raw.frames.length
  raw.write(clientFrame('there?', { opcode: opcode.ping }))
  await raw.until(frame => frame.opcode === opcode.pong, from)
}

verifies(
  [
    '4.1/one-endpoint',
    '4.1/json-text-frames',
    '4.1/handshake-response',
    '4.1/handshake-response-client-id',
    '4.1/handshake-response-mode',
    '4.1/handshake-response-no-event-history',
    '4.1/handshake-response-total-events',
    '5/mode-chosen-in-handshake',
    '5/no-credential-in-handshake',
    'd5/mode-granted',
    'd12/token-off',
    'd12/no-origin',
  ],
  'a handshake is answered with an id, the mode as asked, the number of events and no history',
  async () => {
    const { server, journal, stranger } = await startTestServer()
    expect(server.url).toBe(`ws://localhost:${server.port}`)
    for (let n = 0; n < 3; n++) journal.append('info', { message: `${n}` })
    journal.flush()
    for (const mode of ['readonly', 'readandwrite']) {
      const client = await stranger()
      client.send({ id: 'h1', type: 'handshake', data: { mode } })
      const response = await client.next(() => true)
      expect(response).toEqual({
        id: expect.stringMatching(/^evt_/),
        timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
        type: 'handshake.response',
        commandId: 'h1',
        data: { clientId: expect.stringMatching(/^client_/), mode, totalEvents: 3, lastSeq: 3 },
      })
    }
    expect(server.clients()).toBe(2)
  },
)

verifies(
  ['4.2/startup-server-ready'],
  'a handshake that comes before the port of the proxy is known is answered when it is, and only to who is still there',
  async () => {
    const { promise, open } = createGateway<object>()
    const ready = async () => ({ ...readyData, ...(await promise) })
    const { server, journal, control, stranger } = await startTestServer({ ready })
    const [early, impatient] = [await stranger(), await stranger()]
    for (const client of [early, impatient]) {
      client.send({ type: 'handshake', data: { mode: 'readonly' } })
      await pong(client)
      expect(client.messages()).toEqual([])
    }
    impatient.raw.write(closeFrame(1000))
    await once(impatient.raw.socket, 'close')
    await pong(early)
    journal.append('info', { message: 'before' })
    journal.flush()
    open({ proxyPort: 4711 })
    expect((await early.next('handshake.response')).data['totalEvents']).toBe(1)
    expect((await early.next('server.ready')).data).toEqual({ ...readyData, proxyPort: 4711, lastSeq: 1 })
    expect([server.clients(), control.arrivals]).toEqual([1, 1])
  },
)

verifies(
  [
    '6/server-ready-right-after-handshake',
    'd5/server-ready-agent-root',
    'd5/server-ready-output-directory',
    'd5/server-ready-last-seq',
    '9/server-version',
    'd5/event-envelope',
  ],
  'server.ready is the first event after the response and says where the journal stands',
  async () => {
    const { journal, stranger } = await startTestServer()
    journal.append('info', { message: 'before' })
    journal.flush()
    const client = await stranger()
    client.send({ type: 'handshake', data: { mode: 'readonly' } })
    await client.next('server.ready')
    journal.append('info', { message: 'after' })
    await client.next('info')
    const [response, ready, live] = client.messages()
    expect(response?.type).toBe('handshake.response')
    expect(ready).toEqual({
      id: expect.stringMatching(/^evt_/),
      timestamp: expect.any(String),
      type: 'server.ready',
      data: { ...readyData, lastSeq: 1 },
    })
    expect(live?.seq).toBe(2)
  },
)

verifies(
  ['d5/error-handshake-required', 'd5/handshake-required-stays-open', '7.1/code-handshake-required'],
  'anything before the handshake is told to begin with it, and the connection stays open',
  async () => {
    const { control, stranger } = await startTestServer()
    const client = await stranger()
    for (const [message, commandId] of [
      [{ id: 'a', type: 'codon.next' }, 'a'],
      [{ id: 'b', type: 'ping' }, 'b'],
      [{ id: 'c', type: 'no.such.command' }, 'c'],
      [{ type: 'ping' }, undefined],
      [[], undefined],
      ['text', undefined],
    ] as const) {
      client.send(message)
      const error = await client.next('error')
      expect(error.data).toMatchObject({ code: 'HANDSHAKE_REQUIRED', severity: 'operation', fatal: false })
      expect(error.commandId).toBe(commandId)
    }
    client.raw.sendText('{ not json')
    expect((await client.next('error')).data['code']).toBe('HANDSHAKE_REQUIRED')
    client.send({ type: 'handshake', data: { mode: 'readandwrite' } })
    await client.next('server.ready')
    expect(control.submitted).toEqual([])
  },
)

verifies(
  ['4.1/handshake-mode-required'],
  'a handshake that does not fit says which field, and may be tried again',
  async () => {
    const { stranger } = await startTestServer()
    const client = await stranger()
    for (const [data, field] of [
      [{}, 'data.mode'],
      [{ mode: 'admin' }, 'data.mode'],
      [{ mode: 'readonly', since: -1 }, 'data.since'],
      [{ mode: 'readonly', sendPreviousEvents: 'yes' }, 'data.sendPreviousEvents'],
      [{ mode: 'readonly', extra: 1 }, 'extra'],
    ] as const) {
      client.send({ id: 'h', type: 'handshake', data })
      const { data: error, commandId } = await client.next('error')
      expect(error['code']).toBe('INVALID_COMMAND')
      expect(error['message']).toContain(field)
      expect(commandId).toBe('h')
    }
    client.send({ type: 'handshake', data: { mode: 'readonly' } })
    await client.next('server.ready')
  },
)

verifies(
  ['d5/error-already-handshaken'],
  'a second handshake is refused, whether it fits or not, and changes nothing',
  async () => {
    const { stranger } = await startTestServer()
    const client = await stranger()
    client.send({ type: 'handshake', data: { mode: 'readonly' } })
    client.send({ id: 'h2', type: 'handshake', data: { mode: 'readandwrite' } })
    client.send({ id: 'h3', type: 'handshake', data: { mode: 'nonsense' } })
    expect(await client.next('error')).toMatchObject({
      commandId: 'h2',
      data: { code: 'ALREADY_HANDSHAKEN' },
    })
    expect(await client.next('error')).toMatchObject({
      commandId: 'h3',
      data: { code: 'ALREADY_HANDSHAKEN' },
    })
    client.command('codon.next')
    expect((await client.next('error')).data['code']).toBe('INSUFFICIENT_PERMISSIONS')
  },
)

verifies(
  ['d5/flag-readonly-only', 'd5/config-readonly-only'],
  'a server for readers grants nothing else',
  async () => {
    const { control, stranger } = await startTestServer({ readonlyOnly: true })
    const client = await stranger()
    client.send({ type: 'handshake', data: { mode: 'readandwrite' } })
    expect((await client.next('handshake.response')).data['mode']).toBe('readonly')
    client.command('codon.next')
    expect((await client.next('error')).data['code']).toBe('INSUFFICIENT_PERMISSIONS')
    expect(control.submitted).toEqual([])
  },
)

verifies(
  ['d5/handshake-timeout'],
  'who does not shake hands within ten seconds is closed with 1008; who did, stays',
  async () => {
    const clock = createTestClock()
    const { stranger } = await startTestServer({ clock })
    const silent = await stranger()
    const talking = await stranger()
    const polite = await stranger()
    await clock.untilSleepers(3)
    polite.send({ type: 'handshake', data: { mode: 'readonly' } })
    await polite.next('server.ready')
    talking.command('ping')
    await talking.next('error')
    await clock.advance(9_999)
    silent.command('ping')
    await silent.next('error')
    await clock.advance(1)
    expect((await silent.ended).code).toBe(1008)
    expect((await talking.ended).code).toBe(1008)
    polite.command('ping')
    await polite.next('pong')
  },
)

verifies(['d12/token-handshake'], 'with a token a handshake without the right one is refused', async () => {
  const { control, server, stranger } = await startTestServer({ token: 'a-secret-of-many-letters' })
  for (const token of [undefined, '', 'wrong', 'a-secret-of-many-letterS', 'a-secret-of-many-letters ']) {
    const client = await stranger()
    client.send({
      id: 'h',
      type: 'handshake',
      data: { mode: 'readonly', ...(token !== undefined && { token }) },
    })
    const error = await client.next('error')
    expect(error).toMatchObject({ commandId: 'h', data: { code: 'INSUFFICIENT_PERMISSIONS' } })
    expect(JSON.stringify(error)).not.toContain('a-secret')
    expect((await client.ended).code).toBe(1008)
  }
  expect(control.arrivals).toBe(0)
  expect(server.clients()).toBe(0)
  const client = await stranger()
  client.send({ type: 'handshake', data: { mode: 'readonly', token: 'a-secret-of-many-letters' } })
  await client.next('server.ready')
  expect(control.arrivals).toBe(1)
})

verifies(
  ['d2/autostart-on-first-handshake', '2.8/autostart-true'],
  'the run begins with an accepted handshake, not with a connection',
  async () => {
    const { control, stranger } = await startTestServer()
    const client = await stranger()
    client.command('codon.next')
    await client.next('error')
    expect(control.arrivals).toBe(0)
    client.send({ type: 'handshake', data: { mode: 'readonly' } })
    await client.next('server.ready')
    expect(control.arrivals).toBe(1)
  },
)
