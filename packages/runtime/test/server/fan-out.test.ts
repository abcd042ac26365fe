import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { WebSocketServer } from 'ws'
import { parseFrames, rawConnect } from '../../../../test/support/raw-websocket.ts'
import type { Listener } from '../../src/journal/index.ts'
import type { Entry } from '../../src/journal/notify.ts'
import { createRedactor, systemClock } from '../../src/kit/index.ts'
import { createBroadcast, type Member } from '../../src/server/broadcast.ts'
import { createDirectSender, createEnvelopes } from '../../src/server/direct-sender.ts'
import type { Frames } from '../../src/server/frames.ts'
import { createPeer, type Peer } from '../../src/server/peer.ts'

/** A journal that tells what a test says, when it says it. */
function toldByHand(lastSeq = 0) {
  const listeners = new Set<Listener>()
  let seq = lastSeq
  const journal = {
    flush: () => undefined,
    lastSeq,
    subscribe(listener: Listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
  const tell = (type: 'info' | 'rig.output' = 'info'): void => {
    seq++
    const event = { seq, id: `evt_${seq}`, timestamp: '', type, data: { message: '' } }
    const entry = { event, text: `${seq}` } as unknown as Entry
    for (const listener of listeners) listener(entry)
  }
  return { journal, tell, listeners }
}

function listening(wantsExtensions = false, wantsBatches = false) {
  const sent: Frames[] = []
  const member: Member = { wantsExtensions, wantsBatches, send: frames => void sent.push(frames) }
  const texts = () =>
    sent.flatMap(frames => parseFrames(Buffer.concat(frames)).frames).map(frame => String(frame.payload))
  return { member, sent, texts }
}

const soon = () => new Promise<void>(resolve => setImmediate(resolve))

test('who joins in the middle of a tick hears only what is told after that', async () => {
  const { journal, tell } = toldByHand(7)
  const broadcast = createBroadcast(journal)
  const [early, late] = [listening(), listening()]
  expect(broadcast.lastSeq).toBe(7)
  broadcast.join(early.member)
  tell()
  tell()
  expect(broadcast.lastSeq).toBe(9)
  broadcast.join(late.member)
  tell()
  await soon()
  expect(early.texts()).toEqual(['8', '9', '10'])
  expect(late.texts()).toEqual(['10'])
})

test('the events of a tick are framed once, and all who hear the same share the bytes', async () => {
  const { journal, tell } = toldByHand()
  const broadcast = createBroadcast(journal)
  const all = [listening(true), listening(true), listening(false), listening(false)]
  for (const { member } of all) broadcast.join(member)
  for (let n = 0; n < 16; n++) tell()
  await soon()
  for (const { sent } of all) {
    expect(sent).toHaveLength(1)
    expect(sent[0]?.[0]).toBe(all[0]?.sent[0]?.[0])
  }
  tell('rig.output')
  tell()
  await soon()
  expect(all.map(({ texts }) => texts().slice(16))).toEqual([['17', '18'], ['17', '18'], ['18'], ['18']])
  expect(all[0]?.sent[1]?.[0]).toBe(all[1]?.sent[1]?.[0])
  expect(all[2]?.sent[1]?.[0]).toBe(all[3]?.sent[1]?.[0])
})

test('who wants batches gets the events of a moment in one frame, made once, and none late or twice', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { journal, tell } = toldByHand()
  const broadcast = createBroadcast(journal)
  const [one, plain, alone] = [listening(true, true), listening(false, true), listening(true)]
  for (const { member } of [one, plain, alone]) broadcast.join(member)
  for (let tick = 0; tick < 3; tick++) {
    tell()
    tell('rig.output')
    await soon()
  }
  expect(alone.texts()).toHaveLength(6)
  expect(one.texts()).toEqual([])
  vi.advanceTimersByTime(100)
  expect(one.texts()).toEqual(['[1,2,3,4,5,6]'])
  expect(plain.texts()).toEqual(['[1,3,5]'])
  // What is sent beside the journal, and who joins, finds nothing that waits.
  tell()
  broadcast.settle()
  expect(one.texts().slice(1)).toEqual(['[7]'])
  tell()
  await soon()
  const late = listening(true, true)
  broadcast.join(late.member)
  tell()
  await soon()
  vi.advanceTimersByTime(100)
  expect(one.texts().slice(2)).toEqual(['[8]', '[9]'])
  expect(late.texts()).toEqual(['[9]'])
  // Nothing waits for who has left, or after the end.
  for (const { member } of [one, plain, late]) broadcast.leave(member)
  tell()
  await soon()
  expect(vi.getTimerCount()).toBe(0)
  broadcast.join(one.member)
  tell()
  broadcast.close()
  expect(one.texts().at(-1)).toBe('[11]')
  expect(vi.getTimerCount()).toBe(0)
})

test('after a batch of many events the next one waits twice as long, until there are few again', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { journal, tell } = toldByHand()
  const broadcast = createBroadcast(journal)
  const page = listening(true, true)
  broadcast.join(page.member)
  const sentAfter = async (events: number, ...waits: readonly number[]) => {
    for (let n = 0; n < events; n++) tell()
    await soon()
    return waits.map(ms => {
      vi.advanceTimersByTime(ms)
      return page.sent.length
    })
  }
  expect(await sentAfter(50, 99, 1)).toEqual([0, 1])
  expect(await sentAfter(51, 99, 1)).toEqual([1, 2])
  expect(await sentAfter(1, 199, 1)).toEqual([2, 3])
  expect(await sentAfter(1, 99, 1)).toEqual([3, 4])
  broadcast.close()
})

test('a send to few delays nobody, however many there are', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'hrtime'] })
  onTestFinished(() => void vi.useRealTimers())
  const { journal, tell } = toldByHand()
  const broadcast = createBroadcast(journal)
  const [one, page, ...crowd] = Array.from({ length: 1_000 }, (_, at) => listening(false, at === 1))
  if (!one || !page) throw new Error('nobody')
  for (const { member } of [one, page, ...crowd]) broadcast.join(member)
  tell()
  await soon()
  vi.advanceTimersByTime(100)
  expect([one, page].map(({ texts }) => texts())).toEqual([['1'], ['[1]']])
  tell()
  await soon()
  expect(one.texts()).toEqual(['1', '2'])
  broadcast.close()
})

test('a send to many rests before the next, and what is told meanwhile goes out together, in order', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { journal, tell } = toldByHand()
  const broadcast = createBroadcast(journal)
  const [one, ...crowd] = Array.from({ length: 1_000 }, () => listening())
  if (!one) throw new Error('nobody')
  for (const { member } of [one, ...crowd]) broadcast.join(member)
  tell()
  await soon()
  expect(one.texts()).toEqual(['1'])
  tell()
  await soon()
  tell()
  await soon()
  expect(one.sent).toHaveLength(1)
  vi.advanceTimersByTime(20)
  expect(one.sent).toHaveLength(2)
  expect(one.texts()).toEqual(['1', '2', '3'])
  // What is said to one, and the end, wait for nothing.
  tell()
  await soon()
  broadcast.settle()
  expect(one.texts()).toEqual(['1', '2', '3', '4'])
  tell()
  broadcast.close()
  expect(one.texts().at(-1)).toBe('5')
  expect(vi.getTimerCount()).toBe(0)
})

test('a great burst is sent in pieces, none of them much larger than the others', async () => {
  const { journal, listeners } = toldByHand()
  const broadcast = createBroadcast(journal)
  const one = listening()
  broadcast.join(one.member)
  const text = 'x'.repeat(1_000)
  for (let seq = 1; seq <= 3_000; seq++) {
    const entry = { event: { seq, type: 'info' }, text } as unknown as Entry
    for (const listener of listeners) listener(entry)
  }
  await soon()
  expect(one.texts()).toHaveLength(3_000)
  expect(Math.max(...one.sent.map(frames => frames[0]?.length ?? 0))).toBeLessThan(300_000)
})

test('who has left hears nothing, and neither does anyone after the end', async () => {
  const { journal, tell } = toldByHand()
  const broadcast = createBroadcast(journal)
  const [leaving, staying] = [listening(), listening()]
  broadcast.join(leaving.member)
  broadcast.join(staying.member)
  tell()
  await soon()
  broadcast.leave(leaving.member)
  tell()
  broadcast.close()
  tell()
  await soon()
  expect(leaving.texts()).toEqual(['1'])
  expect(staying.texts()).toEqual(['1', '2'])
})

/** A real connection, seen from the side of the server, whose other side reads nothing. */
async function deafPeer(queueBytes: number): Promise<Peer> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const sockets = new WebSocketServer({ noServer: true, autoPong: false })
  const peer = new Promise<Peer>(resolve => {
    server.on('upgrade', (request, socket, head) =>
      sockets.handleUpgrade(request, socket, head, ws =>
        resolve(createPeer({ ws, socket: request.socket, queueBytes })),
      ),
    )
  })
  const raw = await rawConnect({ port: (server.address() as AddressInfo).port })
  raw.socket.pause()
  onTestFinished(() => {
    raw.socket.destroy()
    server.close()
  })
  return peer
}

test('what is said to one goes after what was told to all before it', async () => {
  const { journal, tell } = toldByHand()
  const broadcast = createBroadcast(journal)
  const one = listening()
  const peer = { ...(await deafPeer(1_000)), send: one.member.send }
  const envelopes = createEnvelopes(systemClock, createRedactor([]))
  const direct = createDirectSender({ peer, broadcast, envelopes })
  broadcast.join(one.member)
  tell()
  direct.refuse({ code: 'NO_NEXT_CODON', message: 'none' })
  tell()
  await soon()
  expect(one.texts().map(text => (text.length < 3 ? text : 'error'))).toEqual(['1', 'error', '2'])
})

test('a peer that is closed holds on to nothing that was still to be sent', async () => {
  const peer = await deafPeer(8_000_000)
  const frames = [Buffer.alloc(100_000)]
  while (peer.isDrained) peer.send(frames)
  for (let n = 0; n < 20; n++) peer.send(frames)
  expect(peer.isDrained).toBe(false)
  peer.close(1013, 'enough')
  expect(peer.isOpen).toBe(false)
  expect(peer.isDrained).toBe(true)
  await peer.drained()
  peer.send(frames)
  expect(peer.isDrained).toBe(true)
  peer.close(1000, 'again')
  peer.cut()
})

test('a peer that falls behind closes itself', async () => {
  const peer = await deafPeer(3_000_000)
  for (let n = 0; n < 200 && peer.isOpen; n++) {
    peer.send([Buffer.alloc(100_000)])
    await soon()
  }
  expect(peer.isOpen).toBe(false)
  peer.cut()
})
