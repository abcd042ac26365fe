import fc from 'fast-check'
import { expect, test } from 'vitest'
import { heldCap } from '../src/event-order.ts'
import { clientCloseCodes } from '../src/reconnect.ts'
import { settled } from './manual-timers.ts'
import { type ScriptedServer, scriptedServer } from './scripted-server.ts'
import { openClient, testClient } from './test-client.ts'

function append(server: ScriptedServer, count: number): void {
  for (let index = 0; index < count; index++)
    server.append('info', { message: String(server.journal.length) })
}

function upTo(count: number, from = 1): number[] {
  return Array.from({ length: count - from + 1 }, (_, index) => from + index)
}

test('a lost connection comes back and goes on where it stopped', async () => {
  const server = scriptedServer()
  const { client, timers, seqs, statuses } = await openClient(server, { random: () => 0 })
  append(server, 2)
  await settled()
  server.cut()
  append(server, 2)
  await timers.advance(250)
  append(server, 1)
  await settled()
  expect(seqs()).toEqual([1, 2, 3, 4, 5])
  expect(server.handshakes[1]?.data).toMatchObject({ sendPreviousEvents: true, since: 2 })
  expect(statuses.map(status => status.state)).toEqual(['connecting', 'open', 'reconnecting', 'open'])
  expect([client.clientId, client.lastSeq]).toEqual(['client-2', 5])
})

test('a client that asked for no history is not given it when it comes back', async () => {
  // The journal has events that this client cannot get: their number says nothing about where it ends.
  const server = scriptedServer({ totalEvents: 2 })
  append(server, 5)
  const { timers, seqs } = await openClient(server)
  server.cut()
  append(server, 2)
  await timers.advance(1000)
  expect(server.handshakes[1]?.data.since).toBe(5)
  expect(seqs()).toEqual([6, 7])
})

test('attempts are spaced out, counted, and counted anew after a stable connection', async () => {
  const server = scriptedServer()
  const { timers, statuses } = await openClient(server, { random: () => 0 })
  server.refusing = true
  server.cut()
  await timers.advance(250 + 500 + 1000)
  server.refusing = false
  await timers.advance(2000)
  server.cut()
  await timers.advance(10_000)
  server.cut()
  await settled()
  const delays = statuses.map(status => (status.state === 'reconnecting' ? status.delayMs : '|'))
  expect(delays).toEqual(['|', '|', 250, 500, 1000, 2000, '|', 4000, '|', 250])
})

test('after the last allowed attempt the client is closed', async () => {
  const server = scriptedServer()
  const { client, timers } = await openClient(server, { reconnect: { maxAttempts: 2 } })
  server.refusing = true
  server.cut()
  await timers.advance(10_000)
  expect(client.status).toEqual({ state: 'closed', code: 1006, reason: 'refused' })
})

test.each([
  [1000, 'closed'],
  [1008, 'closed'],
  [4001, 'closed'],
  [1001, 'reconnecting'],
  [1011, 'reconnecting'],
  [1013, 'reconnecting'],
])('a server that closes with %i leaves the client %s', async (code, state) => {
  const server = scriptedServer()
  const { client } = await openClient(server)
  server.close(code, 'because')
  await settled()
  expect(client.status).toMatchObject({ state, reason: 'because' })
  client.close()
})

test('with reconnect: false a lost connection is the end', async () => {
  const server = scriptedServer()
  const { client, timers } = await openClient(server, { reconnect: false })
  server.cut()
  await settled()
  expect(client.status).toMatchObject({ state: 'closed', code: 1006 })
  expect(timers.waiting()).toBe(0)
})

test('a server that is shutting down during the handshake is tried again', async () => {
  const server = scriptedServer({
    greet: caller => caller.send('error', { message: 'bye', fatal: false, code: 'SHUTTING_DOWN' }, 'h'),
  })
  const { client } = testClient(server, { reconnect: { fromStart: true } })
  await settled()
  expect(client.status.state).toBe('reconnecting')
  client.close()
})

test('a history that does not reach back is completed from the journal, before anything newer', async () => {
  const server = scriptedServer({ historyCap: 3, batchSize: 4 })
  const { timers, seqs, types } = await openClient(server)
  append(server, 2)
  await settled()
  server.cut()
  append(server, 20)
  await timers.advance(250)
  append(server, 1)
  await settled()
  expect(server.commands.map(command => command.type)).toEqual(['history.sync'])
  expect(seqs()).toEqual(upTo(23))
  expect(types()).not.toContain('history.batch')
})

test('since 0 gives the whole journal at the first connection', async () => {
  const server = scriptedServer({ historyCap: 3, batchSize: 4 })
  append(server, 10)
  const { seqs } = await openClient(server, { since: 0 })
  expect(seqs()).toEqual(upTo(10))
})

test('recent history without since is not completed', async () => {
  const server = scriptedServer({ historyCap: 3 })
  append(server, 10)
  const { seqs } = await openClient(server, { sendPreviousEvents: true })
  expect(seqs()).toEqual([8, 9, 10])
  expect(server.commands).toEqual([])
})

test('live events wait while the gap is filled, and answers to commands do not', async () => {
  const server = scriptedServer({
    historyCap: 1,
    syncByHand: true,
    onCommand: (command, caller) => {
      if (command.type !== 'ping') return
      caller.send('pong', { message: 'pong', timestamp: '2026-01-01T00:00:00.000Z' }, command.id)
    },
  })
  append(server, 4)
  const { client, seqs } = await openClient(server, { since: 0 })
  append(server, 2)
  expect(await client.send('ping')).toMatchObject({ ok: true })
  expect(seqs()).toEqual([])
  const [caller] = server.callers
  if (caller) server.sync(caller, server.commands[0]?.id ?? '')
  await settled()
  expect(seqs()).toEqual(upTo(6))
})

test('more live events than may wait are read from the journal again', async () => {
  const server = scriptedServer({ historyCap: 1, syncByHand: true })
  append(server, 3)
  const { seqs } = await openClient(server, { since: 0 })
  append(server, heldCap + 1)
  await settled()
  const [caller] = server.callers
  const sync = async (index: number): Promise<void> => {
    if (caller) server.sync(caller, server.commands[index]?.id ?? '')
    await settled()
  }
  const journal = server.journal.splice(3)
  await sync(0)
  expect(seqs()).toEqual([1, 2, 3])
  server.journal.push(...journal)
  expect(server.commands).toHaveLength(2)
  append(server, 1)
  await sync(1)
  expect(seqs()).toEqual(upTo(heldCap + 5))
})

test.each(['silence', 'an error'])('a journal that cannot be read (%s) costs the connection', async how => {
  const server = scriptedServer({
    historyCap: 1,
    syncByHand: true,
    onCommand: (command, caller) => {
      const error = { message: 'disk', fatal: false, code: 'INTERNAL_ERROR' }
      if (how === 'an error') caller.send('error', error, command.id)
    },
  })
  append(server, 3)
  const { client, timers, types } = await openClient(server, { since: 0, handshakeTimeoutMs: 2000 })
  await timers.advance(how === 'silence' ? 2000 : 0)
  expect(client.status).toMatchObject({ state: 'reconnecting' })
  expect(types()).toEqual(['server.ready'])
  client.close()
})

test.each([
  ['another path', { executionPath: '/executions/two' }],
  ['a shorter journal', { lastSeq: 1 }],
])('a server with %s is another execution: the client ends', async (_, difference) => {
  const server = scriptedServer()
  append(server, 3)
  const { client, timers, seqs } = await openClient(server)
  server.cut()
  server.ready = { ...server.ready, ...difference }
  append(server, 1)
  await timers.advance(1000)
  expect(client.status).toMatchObject({ state: 'closed', code: clientCloseCodes.otherExecution })
  expect(seqs()).toEqual([])
})

test('events that come before the greeting is complete are not lost', async () => {
  const server = scriptedServer({
    greet: (caller, handshake) => {
      server.callers.add(caller)
      append(server, 1)
      server.greet(caller, handshake)
      append(server, 1)
    },
  })
  const { seqs } = await openClient(server, { since: 0 })
  expect(seqs()).toEqual([1, 2])
})

test('whatever is cut and whenever, every event is delivered once and in order', async () => {
  const step = fc.oneof(
    { weight: 5, arbitrary: fc.record({ do: fc.constant('append'), count: fc.integer({ min: 1, max: 6 }) }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('tick'), count: fc.integer({ min: 1, max: 12 }) }) },
    { weight: 2, arbitrary: fc.constant({ do: 'cut', count: 0 }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('wait'), count: fc.integer({ min: 1, max: 400 }) }) },
  )
  const script = fc.record({
    historyCap: fc.integer({ min: 1, max: 8 }),
    batchSize: fc.integer({ min: 1, max: 5 }),
  })
  await fc.assert(
    fc.asyncProperty(script, fc.array(step, { maxLength: 40 }), async (options, steps) => {
      const server = scriptedServer(options)
      append(server, 3)
      const { client, timers, seqs, problems } = testClient(server, { since: 0, random: () => 0.5 })
      await client.opened
      for (const { do: what, count } of steps) {
        if (what === 'append') append(server, count)
        if (what === 'cut') server.cut()
        if (what === 'wait') await timers.advance(count)
        for (let tick = 0; what === 'tick' && tick < count; tick++) await Promise.resolve()
      }
      await timers.advance(20_000)
      expect(seqs()).toEqual(upTo(server.journal.length))
      expect(problems).toEqual([])
      client.close()
    }),
    { numRuns: 150 },
  )
})
