import { expect, test } from 'vitest'
import { createStore } from '../src/store.ts'
import { emptyView } from '../src/view-model.ts'
import { sampleEvent } from './event-samples.ts'
import { settled } from './manual-timers.ts'
import { scriptedServer } from './scripted-server.ts'
import { openClient, testClient } from './test-client.ts'

function info(seq: number) {
  return sampleEvent('info', { message: 'm' }, { seq })
}

test('subscribers are told once for all the events of a tick', async () => {
  const store = createStore()
  let calls = 0
  const stop = store.subscribe(() => {
    calls += 1
  })
  store.apply(info(1))
  store.apply(info(2))
  expect([calls, store.getSnapshot().eventCount]).toEqual([0, 2])
  await settled()
  expect(calls).toBe(1)
  stop()
  store.apply(info(3))
  await settled()
  expect(calls).toBe(1)
})

test('the snapshot is the same object until something changes', () => {
  const store = createStore()
  expect(store.getSnapshot()).toBe(emptyView)
  store.apply(info(1))
  const first = store.getSnapshot()
  expect(store.getSnapshot()).toBe(first)
  store.apply(info(1))
  expect(store.getSnapshot()).toBe(first)
})

test('the scheduler decides when subscribers are told', () => {
  const waiting: (() => void)[] = []
  const store = createStore({ schedule: run => waiting.push(run) })
  let calls = 0
  store.subscribe(() => {
    calls += 1
  })
  store.apply(info(1))
  store.apply(info(2))
  expect([waiting.length, calls]).toEqual([1, 0])
  waiting[0]?.()
  expect(calls).toBe(1)
  store.apply(info(3))
  expect(waiting).toHaveLength(2)
})

test('a subscriber that throws does not keep others from being told', async () => {
  const errors: unknown[] = []
  const store = createStore({ onListenerError: error => errors.push(error) })
  let calls = 0
  store.subscribe(() => {
    throw new Error('drawing failed')
  })
  store.subscribe(() => {
    calls += 1
  })
  store.apply(info(1))
  await settled()
  expect([calls, errors.map(String)]).toEqual([1, ['Error: drawing failed']])
})

test('events and statuses of a client flow into the view until it is closed', async () => {
  const server = scriptedServer()
  server.append('info', { message: 'past' })
  const { client, timers } = testClient(server, { since: 0 })
  const store = createStore({ client })
  expect(store.getSnapshot().connection).toEqual({ state: 'connecting' })
  await settled()
  expect(store.getSnapshot()).toMatchObject({
    connection: { state: 'open' },
    server: { serverVersion: '0.10.0' },
    lastSeq: 1,
  })
  server.cut()
  await settled()
  expect(store.getSnapshot().connection.state).toBe('reconnecting')
  server.append('info', { message: 'missed' })
  await timers.advance(1000)
  expect(store.getSnapshot()).toMatchObject({ connection: { state: 'open' }, lastSeq: 2 })
  store.close()
  server.append('info', { message: 'unseen' })
  await settled()
  expect(store.getSnapshot().lastSeq).toBe(2)
  client.close()
})

test('two stores of one client show the same', async () => {
  const server = scriptedServer()
  const { client } = await openClient(server)
  const stores = [createStore({ client }), createStore({ client })]
  server.append('server.idle', { reason: 'startup', message: 'ready' })
  await settled()
  const [one, two] = stores.map(store => store.getSnapshot())
  expect(one).toEqual(two)
  expect(one?.idle?.message).toBe('ready')
})
