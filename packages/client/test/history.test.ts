import { expect, test } from 'vitest'
import type { HistoryBatch } from '../src/history.ts'
import { settled } from './manual-timers.ts'
import { type ScriptedServer, scriptedServer } from './scripted-server.ts'
import { openClient } from './test-client.ts'

async function collected(batches: AsyncIterable<HistoryBatch>): Promise<HistoryBatch[]> {
  const all: HistoryBatch[] = []
  for await (const batch of batches) all.push(batch)
  return all
}

function seqsOf(batches: readonly HistoryBatch[]): (number | undefined)[][] {
  return batches.map(batch => (batch.ok ? batch.events.map(event => event.seq) : []))
}

function filled(server: ScriptedServer, count: number): ScriptedServer {
  for (let index = 0; index < count; index++) server.append('info', { message: String(index) })
  return server
}

test('history gives the whole journal batch by batch', async () => {
  const server = filled(scriptedServer({ batchSize: 2 }), 5)
  const { client, seqs } = await openClient(server)
  const batches = await collected(client.history())
  expect(seqsOf(batches)).toEqual([[1, 2], [3, 4], [5]])
  expect(batches.map(batch => batch.ok && batch.hasMore)).toEqual([true, true, false])
  expect(seqs()).toEqual([])
})

test('an empty journal is one empty batch', async () => {
  const { client } = await openClient(scriptedServer())
  expect(await collected(client.history())).toEqual([{ ok: true, events: [], hasMore: false }])
})

test('events that this client cannot read are left out and counted', async () => {
  const server = filled(scriptedServer(), 2)
  server.journal.push({ ...server.journal[0], seq: 3, type: 'from.the.future' } as never)
  server.journal.push({ ...server.journal[0], seq: 4, data: {} } as never)
  const { client, problems } = await openClient(server)
  expect(seqsOf(await collected(client.history()))).toEqual([[1, 2]])
  expect([client.unknownEvents, problems.length]).toEqual([1, 1])
})

test('a failure in the middle is the last item', async () => {
  const server = scriptedServer({
    syncByHand: true,
    onCommand: (command, caller) => caller.send('history.batch', { events: [], hasMore: true }, command.id),
  })
  const { client } = await openClient(server)
  const batches = collected(client.history())
  await settled()
  server.cut()
  expect(await batches).toMatchObject([{ ok: true }, { ok: false, code: 'CONNECTION_LOST' }])
  client.close()
  expect(await collected(client.history())).toMatchObject([{ ok: false, code: 'NOT_CONNECTED' }])
})

test('the time limit is for silence, not for the whole', async () => {
  const server = scriptedServer({ syncByHand: true })
  const { client, timers } = await openClient(server)
  const batches = collected(client.history({ timeoutMs: 1000 }))
  await settled()
  const [caller] = server.callers
  for (let count = 0; count < 3; count++) {
    caller?.send('history.batch', { events: [], hasMore: true }, server.commands[0]?.id)
    await timers.advance(900)
  }
  await timers.advance(100)
  expect(await batches).toMatchObject([{}, {}, {}, { ok: false, code: 'TIMEOUT' }])
})

test('a reader that stops early is not kept waiting by the rest', async () => {
  const server = filled(scriptedServer({ batchSize: 1 }), 3)
  const { client } = await openClient(server)
  for await (const batch of client.history()) {
    expect(batch.ok).toBe(true)
    break
  }
  await settled()
  expect(client.status.state).toBe('open')
})
