import { expect, test } from 'vitest'
import { settled } from './manual-timers.ts'
import { scriptedServer } from './scripted-server.ts'
import { openClient, testClient } from './test-client.ts'

const pong = { message: 'pong', timestamp: '2026-01-01T00:00:00.000Z' } as const
const started = {
  codonId: 'draft',
  codonName: 'Draft',
  sessionId: 's',
  startTime: '2026-01-01T00:00:00.000Z',
}

test('a command settles with the event that carries its id', async () => {
  const server = scriptedServer({ onCommand: (command, caller) => caller.send('pong', pong, command.id) })
  const { client } = await openClient(server)
  const [first, second] = await Promise.all([client.send('ping'), client.send('ping')])
  expect(first).toMatchObject({ ok: true, event: { type: 'pong', commandId: server.commands[0]?.id } })
  expect(second).toMatchObject({ ok: true, event: { commandId: server.commands[1]?.id } })
})

test('an error with its id settles it with the code', async () => {
  const server = scriptedServer({
    onCommand: (command, caller) =>
      caller.send('error', { message: 'none runs', fatal: false, code: 'NO_CODON_RUNNING' }, command.id),
  })
  const { client, types } = await openClient(server)
  expect(await client.send('codon.skip')).toEqual({
    ok: false,
    code: 'NO_CODON_RUNNING',
    message: 'none runs',
  })
  expect(types()).toContain('error')
})

test('a command without a reply of its own settles with the first event that carries its id', async () => {
  const server = scriptedServer({
    onCommand: command => {
      server.append('info', { message: 'someone else' }, 'another-id')
      server.append('codon.started', started, command.id)
    },
  })
  const { client, seqs } = await openClient(server)
  const result = await client.send('codon.next')
  expect(result).toMatchObject({ ok: true, event: { type: 'codon.started', seq: 2 } })
  expect(seqs()).toEqual([1, 2])
})

test('a command with a reply of its own waits for that type', async () => {
  const server = scriptedServer({
    onCommand: command => {
      server.append('info', { message: 'reading' }, command.id)
      server.append('checkpoint.list', { runId: 'r', checkpoints: [], currentBranch: 'run-r' }, command.id)
    },
  })
  const { client } = await openClient(server)
  expect(await client.send('checkpoint.list', { runId: 'r' })).toMatchObject({
    ok: true,
    event: { type: 'checkpoint.list', seq: 2 },
  })
})

test('two clients never use the same id', async () => {
  const server = scriptedServer()
  const clients = [await openClient(server), await openClient(server)]
  for (const { client } of clients) void client.send('codon.next')
  await settled()
  expect(new Set(server.commands.map(command => command.id)).size).toBe(2)
})

test('without an open connection a command is not sent', async () => {
  const server = scriptedServer()
  const { client } = testClient(server)
  expect(await client.send('codon.next')).toMatchObject({ ok: false, code: 'NOT_CONNECTED' })
  client.close()
  expect(await client.send('ping')).toMatchObject({ ok: false, code: 'NOT_CONNECTED' })
  expect(server.commands).toEqual([])
})

test('a lost connection settles all that waits, and so does closing the client', async () => {
  const server = scriptedServer()
  const { client, timers } = await openClient(server)
  const lost = client.send('codon.next', {}, { timeoutMs: 60_000 })
  await settled()
  server.cut()
  expect(await lost).toMatchObject({ ok: false, code: 'CONNECTION_LOST' })

  await timers.advance(250)
  const closed = [client.send('codon.next'), client.send('server.shutdown')]
  client.close()
  expect(await Promise.all(closed)).toMatchObject([{ code: 'CONNECTION_LOST' }, { code: 'CONNECTION_LOST' }])
  expect(timers.waiting()).toBe(0)
})

test('a time limit settles it, and a late answer is only an event', async () => {
  const server = scriptedServer()
  const { client, timers, types } = await openClient(server)
  const late = client.send('ping', {}, { timeoutMs: 1000 })
  await timers.advance(1000)
  expect(await late).toEqual({ ok: false, code: 'TIMEOUT', message: 'No answer to ping within 1000 ms.' })
  for (const caller of server.callers) caller.send('pong', pong, server.commands[0]?.id)
  await settled()
  expect(types()).toContain('pong')
})

test.each([
  [1000, { ok: true, event: undefined }],
  [1001, { ok: true, event: undefined }],
  [1006, { ok: false, code: 'CONNECTION_LOST' }],
])('a shutdown that is followed by close code %i settles accordingly', async (code, result) => {
  const server = scriptedServer({
    onCommand: (_, caller) =>
      code === 1006 ? caller.link.cut() : caller.link.server.close(code, 'shutting down'),
  })
  const { client } = await openClient(server)
  expect(await client.send('server.shutdown', { reason: 'done' })).toMatchObject(result)
  expect(client.status.state).toBe(code === 1006 ? 'reconnecting' : 'closed')
  client.close()
})

test('when a command settles, listeners have seen the event', async () => {
  const server = scriptedServer({ onCommand: (command, caller) => caller.send('pong', pong, command.id) })
  const { client, types } = await openClient(server)
  await client.send('ping')
  expect(types()).toContain('pong')
})
