import { expect, test } from 'vitest'
import { connect } from '../src/client.ts'
import { clientCloseCodes } from '../src/reconnect.ts'
import { settled } from './manual-timers.ts'
import { scriptedServer } from './scripted-server.ts'
import { openClient, testClient } from './test-client.ts'

const info = { message: 'hello' }

test('the handshake asks for the weave extension and tells what was granted', async () => {
  const server = scriptedServer()
  server.append('info', info)
  const { client, statuses, events } = await openClient(server, { token: 'secret', mode: 'readonly' })
  expect(server.handshakes).toMatchObject([
    {
      type: 'handshake',
      data: { mode: 'readonly', sendPreviousEvents: false, extensions: ['weave'], token: 'secret' },
    },
  ])
  expect(await client.opened).toEqual({
    ok: true,
    clientId: 'client-1',
    mode: 'readonly',
    totalEvents: 1,
    journalSeq: 1,
  })
  expect([client.clientId, client.mode, client.totalEvents, client.lastSeq]).toEqual([
    'client-1',
    'readonly',
    1,
    1,
  ])
  expect(statuses).toEqual([{ state: 'connecting' }, { state: 'open' }])
  expect(events.map(event => event.type)).toEqual(['server.ready'])
})

test('the facts of the handshake are there when the status says open', async () => {
  const { client } = testClient(scriptedServer())
  let clientId: string | undefined
  client.onStatus(() => {
    clientId = client.clientId
  })
  await client.opened
  expect(clientId).toBe('client-1')
})

test('listeners of a type get their type, listeners of all get all, in order', async () => {
  const server = scriptedServer()
  const { client, types } = await openClient(server)
  const messages: string[] = []
  const stop = client.on('info', event => messages.push(event.data.message))
  server.append('info', { message: 'one' })
  server.append('filetree.updated', { tree: [] })
  await settled()
  stop()
  server.append('info', { message: 'two' })
  await settled()
  expect(messages).toEqual(['one'])
  expect(types()).toEqual(['server.ready', 'info', 'filetree.updated', 'info'])
})

test('a listener that throws does not keep others from being told, and its error is reported', async () => {
  const server = scriptedServer()
  const { client, listenerErrors, types } = await openClient(server)
  const heard: string[] = []
  client.on('info', () => {
    throw new Error('first')
  })
  client.on('info', event => heard.push(event.data.message))
  client.onStatus(() => {
    throw new Error('status')
  })
  server.append('info', info)
  await settled()
  expect(heard).toEqual(['hello'])
  expect(types()).toContain('info')
  client.close()
  expect(listenerErrors.map(String)).toEqual(['Error: first', 'Error: status'])
})

test('the history of the handshake is delivered before live events', async () => {
  const server = scriptedServer()
  for (let count = 0; count < 3; count++) server.append('info', info)
  const { seqs } = testClient(server, { sendPreviousEvents: true })
  await settled()
  server.append('info', info)
  await settled()
  expect(seqs()).toEqual([1, 2, 3, 4])
})

test('unknown events are counted and passed over, live and in a history', async () => {
  const server = scriptedServer()
  server.append('info', info)
  server.journal.push({ ...server.journal[0], seq: 2, type: 'from.the.future' } as never)
  const { client, seqs, problems } = await openClient(server, { sendPreviousEvents: true })
  for (const caller of server.callers) {
    caller.raw(JSON.stringify({ ...server.journal[1], seq: 3, type: 'another' }))
  }
  server.journal.push({ ...server.journal[0], seq: 3 } as never)
  server.append('info', info)
  await settled()
  expect(client.unknownEvents).toBe(2)
  expect(seqs()).toEqual([1, 4])
  expect(problems).toEqual([])
})

test('a frame may be a list of events', async () => {
  const server = scriptedServer()
  const { events, problems } = await openClient(server)
  const before = events.length
  const info = (id: string) => ({
    id,
    timestamp: '2026-01-01T00:00:00Z',
    type: 'info',
    data: { message: id },
  })
  for (const caller of server.callers)
    caller.raw(JSON.stringify([info('one'), { ...info('bad'), data: {} }, info('two')]))
  await settled()
  expect(events.slice(before)).toMatchObject([{ id: 'one' }, { id: 'two' }])
  expect(problems).toHaveLength(1)
})

test('malformed frames are reported and nothing else happens', async () => {
  const server = scriptedServer()
  const { client, problems, events } = await openClient(server)
  for (const caller of server.callers) {
    for (const text of ['', '[1]', 'null', '{"type":"info"}', '{']) caller.raw(text)
    caller.raw(JSON.stringify({ id: 'x', timestamp: '2026-01-01T00:00:00Z', type: 'info', data: {} }))
  }
  await settled()
  expect(problems).toHaveLength(6)
  expect(problems[5]).toContain('info')
  expect(events).toHaveLength(1)
  expect(client.status.state).toBe('open')
})

test('keys that only a newer server knows stay in the event', async () => {
  const server = scriptedServer()
  const { events } = await openClient(server)
  server.append('info', { message: 'm', shade: 'blue' } as never)
  await settled()
  expect(events[1]).toMatchObject({ data: { message: 'm', shade: 'blue' } })
})

test('a handshake that is answered with an error is the end', async () => {
  const server = scriptedServer({
    greet: caller =>
      caller.send('error', { message: 'wrong token', fatal: false, code: 'INVALID_COMMAND' }, 'h'),
  })
  const { client, timers } = testClient(server, { reconnect: { fromStart: true } })
  expect(await client.opened).toEqual({ ok: false, code: clientCloseCodes.refused, reason: 'wrong token' })
  expect(timers.waiting()).toBe(0)
})

test('a first connection that fails is the end, unless the policy says otherwise', async () => {
  const server = scriptedServer()
  server.refusing = true
  const strict = testClient(server)
  expect(await strict.client.opened).toEqual({ ok: false, code: 1006, reason: 'refused' })

  const patient = testClient(server, { reconnect: { fromStart: true }, random: () => 0 })
  await settled()
  expect(patient.client.status).toEqual({
    state: 'reconnecting',
    attempt: 1,
    delayMs: 250,
    reason: 'refused',
  })
  server.refusing = false
  await patient.timers.advance(250)
  expect(await patient.client.opened).toMatchObject({ ok: true })
})

test('a connect that throws or rejects is a failed attempt like any other', async () => {
  for (const transport of [
    () => Promise.reject(new Error('no route')),
    () => {
      throw new Error('no route')
    },
  ]) {
    const { client } = testClient({ ...scriptedServer(), connect: transport })
    expect(await client.opened).toEqual({ ok: false, code: 1006, reason: 'no route' })
  }
})

test('a server that never finishes the handshake is given up after the time limit', async () => {
  const server = scriptedServer({ greet: () => {} })
  const { client, timers } = testClient(server, { handshakeTimeoutMs: 3000 })
  await timers.advance(2999)
  expect(client.status.state).toBe('connecting')
  await timers.advance(1)
  expect(await client.opened).toEqual({ ok: false, code: 1006, reason: 'No handshake within 3000 ms.' })
})

test('close ends it at once: nothing is delivered any more and no timer is left', async () => {
  const server = scriptedServer()
  const { client, timers, types, statuses } = await openClient(server)
  client.on('info', () => client.close())
  server.append('info', info)
  server.append('info', info)
  await settled()
  expect(types()).toEqual(['server.ready', 'info'])
  expect(statuses.at(-1)).toEqual({ state: 'closed', code: 1000, reason: 'The client was closed.' })
  client.close()
  expect(statuses).toHaveLength(3)
  expect(timers.waiting()).toBe(0)
  expect(server.callers.size).toBe(0)
})

test('close in the middle of a history ends the delivery there', async () => {
  const server = scriptedServer()
  for (let count = 0; count < 3; count++) server.append('info', info)
  const { client, seqs } = testClient(server, { since: 0 })
  client.on('info', () => client.close())
  await settled()
  expect(seqs()).toEqual([1])
})

test('close while connecting or waiting to reconnect leaves nothing behind', async () => {
  const server = scriptedServer()
  const early = testClient(server)
  early.client.close()
  await settled()
  expect(await early.client.opened).toMatchObject({ ok: false, code: 1000 })
  expect(server.handshakes).toEqual([])

  const later = await openClient(server)
  server.cut()
  await settled()
  expect(later.client.status.state).toBe('reconnecting')
  later.client.close()
  expect(later.client.status.state).toBe('closed')
  expect(later.timers.waiting()).toBe(0)
})

test('an address without a socket constructor is a mistake in the program', () => {
  expect(() => connect('ws://127.0.0.1:1', { mode: 'readonly' } as never)).toThrow(TypeError)
})
