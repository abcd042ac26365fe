import { expect, test } from 'vitest'
import { linkTransports, type Transport } from '../src/transport.ts'
import { settled } from './manual-timers.ts'

function recorded(transport: Transport): string[] {
  const seen: string[] = []
  transport.onMessage(text => seen.push(text))
  transport.onClose((code, reason) => seen.push(`closed ${code} ${reason}`.trim()))
  return seen
}

test('frames arrive later, in order, on both sides', async () => {
  const { client, server } = linkTransports()
  const atClient = recorded(client)
  const atServer = recorded(server)
  client.send('a')
  client.send('b')
  server.send('c')
  expect([atClient, atServer]).toEqual([[], []])
  await settled()
  expect([atClient, atServer]).toEqual([['c'], ['a', 'b']])
})

test('frames that come before anyone reads wait for the reader', async () => {
  const { client, server } = linkTransports()
  server.send('early')
  await settled()
  expect(recorded(client)).toEqual(['early'])
})

test('a close reaches the other side after the frames sent before it, and is told once', async () => {
  const { client, server } = linkTransports()
  const atClient = recorded(client)
  const atServer = recorded(server)
  server.send('last words')
  server.close(1001, 'bye')
  server.close(1000)
  server.send('too late')
  await settled()
  expect(atClient).toEqual(['last words', 'closed 1001 bye'])
  expect(atServer).toEqual(['closed 1001 bye'])
})

test('an end that came before anyone listened is told at once', async () => {
  const { client, server } = linkTransports()
  server.close(1000)
  await settled()
  expect(recorded(client)).toEqual(['closed 1000'])
})

test('a cut loses the frames under way and is seen as 1006 on both sides', async () => {
  const link = linkTransports()
  const atClient = recorded(link.client)
  const atServer = recorded(link.server)
  link.client.send('lost')
  link.cut()
  link.client.send('lost too')
  await settled()
  expect([atClient, atServer]).toEqual([['closed 1006'], ['closed 1006']])
})
