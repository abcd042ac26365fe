import { expect, onTestFinished, test } from 'vitest'
import { connect } from 'weave-client'
import { WebSocket } from 'ws'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { tally } from '../../../../test/support/proof.ts'
import { opcode, rawConnect } from '../../../../test/support/raw-websocket.ts'
import { serve } from './served.ts'
import { quickJournal, sized, startTestServer, type TestClient, testClient } from './test-server.ts'

const mebibyte = 1024 * 1024

function seqsOf(client: TestClient): readonly number[] {
  return client.messages().flatMap(message => message.seq ?? [])
}

function upTo(last: number, from = 1): readonly number[] {
  return Array.from({ length: last - from + 1 }, (_, at) => from + at)
}

/** Everything after `since`, by our own client, however long it has to read. */
async function rest(port: number, since: number, lastSeq: number): Promise<readonly number[]> {
  const client = connect(`ws://localhost:${port}`, { mode: 'readonly', since, socket: WebSocket })
  onTestFinished(() => client.close())
  const seqs: number[] = []
  await new Promise<void>(resolve => {
    client.onAny(({ seq }) => {
      if (seq === undefined) return
      seqs.push(seq)
      if (seq === lastSeq) resolve()
    })
  })
  return seqs
}

verifies(
  ['d5/slow-client-queue', 'd5/slow-client-closed', 'd5/slow-client-isolated', 'd5/slow-client-recovers'],
  'a client that falls 8 MiB behind is closed with 1013, after an unbroken beginning; others do not notice',
  async () => {
    const { client, journal, port } = await startTestServer({ journal: await quickJournal() })
    const [slow, reading] = [await client(), await client()]
    slow.raw.socket.pause()
    const message = 'Some words of an agent. '.repeat(4_000)
    for (let round = 1; round <= 20; round++) {
      for (let n = 0; n < 10; n++) journal.append('info', { message })
      await reading.next(each => each.seq === round * 10)
    }
    expect(seqsOf(reading)).toEqual(upTo(200))
    slow.raw.socket.resume()
    expect(await slow.ended).toMatchObject({ code: 1013, reason: expect.stringContaining('since') })
    const seen = seqsOf(slow)
    expect(seen.length).toBeLessThan(200)
    expect(seen).toEqual(upTo(seen.length))
    expect(slow.raw.frames.at(-1)?.opcode).toBe(opcode.close)
    expect(await rest(port, seen.length, 200)).toEqual(upTo(200, seen.length + 1))
  },
)

verifies(
  ['d14/fell-behind-cut'],
  'a client that fell behind and never reads its 1013 is cut when its time is over, and not before',
  async () => {
    const { client, journal, server } = await startTestServer({
      journal: await quickJournal(),
      limits: { queueBytes: mebibyte, farewellMs: 700 },
    })
    const deaf = await client()
    deaf.raw.socket.pause()
    const message = 'Some words of an agent. '.repeat(4_000)
    const began = performance.now()
    // More than the sockets of both sides hold: the closing frame never reaches it.
    for (let n = 0; n < 200; n++) {
      journal.append('info', { message })
      journal.flush()
      await new Promise(resolve => setImmediate(resolve))
    }
    while (server.clients() > 0) await new Promise(resolve => setTimeout(resolve, 5))
    expect(performance.now() - began).toBeGreaterThanOrEqual(690)
    expect(performance.now() - began).toBeLessThan(20_000)
    deaf.raw.socket.resume()
    expect((await deaf.ended).code).toBe(1006)
  },
)

test('a client that is slow but not too slow misses nothing and is not closed', async () => {
  const { client, journal } = await startTestServer({ journal: await quickJournal() })
  const [slow, reading] = [await client(), await client()]
  const message = 'Some words of an agent. '.repeat(4_000)
  for (let round = 1; round <= 20; round++) {
    slow.raw.socket.pause()
    for (let n = 0; n < 10; n++) journal.append('info', { message })
    await reading.next(each => each.seq === round * 10)
    slow.raw.socket.resume()
    if (round % 4 === 0) await slow.next(each => each.seq === round * 10)
  }
  expect(seqsOf(slow)).toEqual(upTo(200))
})

test('a client that syncs and does not read costs one batch, and delays nobody', async () => {
  const { client, journal } = await startTestServer({
    journal: await quickJournal(),
    limits: { queueBytes: 3 * mebibyte },
  })
  const message = 'Some words of an agent. '.repeat(100)
  for (let n = 0; n < 4_000; n++) journal.append('info', { message })
  journal.flush()
  const deaf = await Promise.all(Array.from({ length: 8 }, () => client()))
  for (const each of deaf) {
    each.raw.socket.pause()
    each.command('history.sync')
  }
  // More of them than may read at a time: whoever waits for its client must not keep its turn.
  const reading = await client()
  reading.command('history.sync', undefined, 'all')
  await reading.next(each => each.commandId === 'all' && each.data['hasMore'] === false)
  const batches = reading.messages().filter(each => each.commandId === 'all')
  const synced = batches.flatMap(each => each.data['events'] as readonly { readonly seq: number }[])
  expect(synced.map(event => event.seq)).toEqual(upTo(4_000))
  journal.append('info', { message: 'live' })
  await reading.next('info')
  deaf[0]?.raw.socket.resume()
  await deaf[0]?.next(each => each.type === 'history.batch' && each.data['hasMore'] === false)
})

verifies(
  ['safety/I14'],
  'twenty clients that never read cost the server at most 100 MiB; the others get everything at once',
  async () => {
    const { append, port, rss } = await serve()
    const open = async (): Promise<TestClient> => {
      const client = testClient(await rawConnect({ port }))
      client.send({ type: 'handshake', data: { mode: 'readonly', sendPreviousEvents: true } })
      await client.next('server.ready')
      return client
    }
    // A history to ask for, so that each of the deaf has something of its own waiting too.
    const { rss: warm } = await append(2_000, 2_500, 50)
    const reading = [await open(), await open()]
    const deaf = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const client = testClient(await rawConnect({ port }))
        client.raw.socket.pause()
        client.send({ type: 'handshake', data: { mode: 'readonly', sendPreviousEvents: true } })
        return client
      }),
    )
    tally('clients that never read', deaf.length)
    const report = await append(sized(300, 6_000), 60_000, 2)
    await Promise.all(reading.map(client => client.next(each => each.seq === report.lastSeq)))
    expect(Math.round((report.peak - Math.max(rss, warm)) / mebibyte)).toBeLessThan(100)
    for (const client of reading) expect(seqsOf(client)).toEqual(upTo(report.lastSeq, 2_001))

    const first = deaf[0]
    if (!first) throw new Error('there are many')
    first.raw.socket.resume()
    expect((await first.ended).code).toBe(1013)
    const seen = seqsOf(first)
    const last = seen.at(-1) ?? 2_000
    expect(seen).toEqual(upTo(last, 2_001))
    expect(await rest(port, last, report.lastSeq)).toEqual(upTo(report.lastSeq, last + 1))
  },
  sized(60_000, 300_000),
)
