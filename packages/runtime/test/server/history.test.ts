import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import type { Journal } from '../../src/journal/index.ts'
import { openTestJournal } from '../journal/open.ts'
import { type Message, quickJournal, startTestServer, type TestClient } from './test-server.ts'

function fill(journal: Journal, events: number, message = 'an event'): void {
  for (let n = 0; n < events; n++) journal.append('info', { message })
  journal.flush()
}

const mebibyte = 1024 * 1024
const since = (seq: number) => ({ mode: 'readonly', sendPreviousEvents: true, since: seq })
const withPast = { mode: 'readonly', sendPreviousEvents: true }

function historyOf(client: TestClient): readonly Message[] {
  return client.messages()[0]?.data['eventHistory'] as readonly Message[]
}

function seqsOf(events: readonly Message[]): readonly (number | undefined)[] {
  return events.map(event => event.seq)
}

function range(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from + 1 }, (_, at) => from + at)
}

/** All batches that answer one `history.sync`. */
async function sync(client: TestClient, id = 'sync'): Promise<readonly Message[]> {
  const before = client.messages().length
  client.command('history.sync', undefined, id)
  await client.next(message => message.commandId === id && message.data['hasMore'] === false)
  return client
    .messages()
    .slice(before)
    .filter(message => message.commandId === id)
}

function eventsIn(batches: readonly Message[]): readonly Message[] {
  return batches.flatMap(batch => batch.data['events'] as readonly Message[])
}

describe('eventHistory', () => {
  verifies(
    ['d5/event-history-count', 'd5/event-history-order', '6/history-at-handshake'],
    'holds the newest 1,000 events, oldest first, as they were told',
    async () => {
      const { client, journal } = await startTestServer()
      const told: string[] = []
      journal.subscribe(({ text }) => told.push(text))
      fill(journal, 1_500)
      const one = await client(withPast)
      const history = historyOf(one)
      expect(seqsOf(history)).toEqual(range(501, 1_500))
      expect(history).toEqual(told.slice(500).map(text => JSON.parse(text) as unknown))
      expect(one.messages()[0]?.data['totalEvents']).toBe(1_500)
    },
  )

  verifies(['d5/event-history-bytes'], 'holds at most 4 MiB', async () => {
    const { client, journal } = await startTestServer({ journal: await quickJournal() })
    fill(journal, 40, 'x'.repeat(200_000))
    const history = historyOf(await client(withPast))
    const bytes = history.reduce((sum, event) => sum + Buffer.byteLength(JSON.stringify(event)), 0)
    expect(bytes).toBeLessThanOrEqual(4 * mebibyte)
    expect(bytes + 200_200).toBeGreaterThan(4 * mebibyte)
    expect(seqsOf(history)).toEqual(range(41 - history.length, 40))
  })

  verifies(['d5/since'], 'starts right after the event that the client names', async () => {
    const { client, journal } = await startTestServer()
    fill(journal, 20)
    for (const [seq, expected] of [
      [0, range(1, 20)],
      [7, range(8, 20)],
      [19, [20]],
      [20, []],
      [99, []],
    ] as const) {
      expect(seqsOf(historyOf(await client(since(seq))))).toEqual(expected)
    }
    expect(seqsOf(historyOf(await client({ mode: 'readonly', since: 18 })))).toEqual([19, 20])
  })

  test('is empty, not absent, when it was asked for and there is nothing', async () => {
    const { client } = await startTestServer()
    expect(historyOf(await client(withPast))).toEqual([])
  })

  test('looks further back for a client that passes over extension events', async () => {
    const { client, journal } = await startTestServer()
    fill(journal, 1_200)
    for (let n = 0; n < 3_000; n++)
      journal.append('rig.output', { codonId: 'c', operation: 0, stream: 'stdout', text: 'noise' })
    journal.flush()
    expect(seqsOf(historyOf(await client(withPast)))).toEqual(range(201, 1_200))
    expect(seqsOf(historyOf(await client({ ...withPast, since: 1_100 })))).toEqual(range(1_101, 1_200))
    const extended = await client({ ...withPast, extensions: ['weave'] })
    expect(seqsOf(historyOf(extended))).toEqual(range(3_201, 4_200))
  })

  test('is shared by clients that come at once, each with its own id', async () => {
    const { client, journal } = await startTestServer()
    fill(journal, 300)
    const clients = await Promise.all(range(1, 20).map(() => client(withPast)))
    for (const each of clients) expect(seqsOf(historyOf(each))).toEqual(range(1, 300))
    expect(new Set(clients.map(each => each.messages()[0]?.data['clientId'])).size).toBe(20)
  })

  test('a journal that cannot be read closes with 1011 and harms nobody else', async () => {
    const server = await startTestServer()
    const broken = { ...server.journal.history, pages: () => failing() }
    const other = await startTestServer({ journal: withHistory(server.journal, broken) })
    fill(server.journal, 3)
    const one = await other.stranger()
    one.send({ type: 'handshake', data: withPast })
    expect((await one.ended).code).toBe(1011)
    await other.client()
    const syncing = await other.client()
    syncing.command('history.sync', undefined, 's')
    expect(await syncing.next('error')).toMatchObject({ commandId: 's', data: { code: 'INTERNAL_ERROR' } })
  })
})

/** A journal whose files cannot be read. */
function withHistory(journal: Journal, history: Journal['history']): Journal {
  return {
    append: (type, data, options) => journal.append(type, data, options),
    flush: () => journal.flush(),
    synced: () => journal.synced(),
    subscribe: listener => journal.subscribe(listener),
    history,
    get lastSeq() {
      return journal.lastSeq
    },
    get counts() {
      return journal.counts
    },
    get lastSeqWithoutOrigin() {
      return journal.lastSeqWithoutOrigin
    },
    findings: journal.findings,
    repair: undefined,
    failure: journal.failure,
    close: () => Promise.resolve(),
  }
}

async function* failing(): AsyncGenerator<never> {
  yield await Promise.reject(new Error('the disk refuses'))
}

/** Events that every client knows, extensions, and sentinel events that are not told when they happen. */
function appendMixture(journal: Journal, rounds: number): void {
  for (let n = 0; n < rounds; n++) {
    journal.append('info', { message: 'an event' })
    journal.append('rig.output', { codonId: 'c', operation: 0, stream: 'stdout', text: '"type":"info"' })
    journal.append('sentinel.triggered', {
      sentinelId: 'quiet',
      codonId: 'c',
      triggerNumber: n + 1,
      strategy: 'immediate',
      eventCount: 1,
      queueSize: 0,
    })
    // Segments are begun between writes.
    if (n % 20 === 0) journal.flush()
  }
  journal.flush()
}

describe('what a client can get', () => {
  const plain = { mode: 'readonly' }
  const extended = { mode: 'readonly', extensions: ['weave'] }
  const greeting = (client: TestClient) => client.messages()[0]?.data

  verifies(
    [
      'd14/history-27',
      'd14/history-extensions',
      'd14/history-hidden-live-only',
      'd14/total-events-own',
      'd14/handshake-last-seq',
      '4.1/history-sync',
      '4.1/handshake-response-total-events',
    ],
    'is counted in its handshake and given by its sync: the 27 types, or all, whatever is told live',
    async () => {
      const dir = await tempDir({ inMemory: true })
      const first = await openTestJournal(dir, { segmentBytes: 20_000 })
      appendMixture(first, 400)
      await first.close()
      // A damaged line can be got by nobody; a lost index is made again.
      const names = readdirSync(dir).sort()
      expect(names.filter(name => name.endsWith('.idx')).length).toBeGreaterThan(3)
      damage(join(dir, names.find(name => name.endsWith('.jsonl')) ?? ''))
      for (const name of names.filter(each => each.endsWith('.idx')).slice(0, 2)) rmSync(join(dir, name))

      const journal = await openTestJournal(dir, { segmentBytes: 20_000 })
      const { client } = await startTestServer({
        journal,
        hides: event => event.type.startsWith('sentinel.'),
      })
      const early = await client(extended)
      appendMixture(journal, 100)
      await early.next(message => message.seq === 1_499)
      expect(early.messages().some(({ type }) => type.startsWith('sentinel.'))).toBe(false)
      for (const handshake of [plain, extended]) {
        const one = await client(handshake)
        const events = eventsIn(await sync(one))
        const isExtended = handshake === extended
        // The second line, an extension event, is damaged.
        const expected = range(1, 1_500).filter(seq => seq !== 2 && (isExtended || seq % 3 !== 2))
        expect(seqsOf(events)).toEqual(expected)
        expect(events.some(({ type }) => type === 'rig.output')).toBe(isExtended)
        expect(events.filter(({ type }) => type === 'sentinel.triggered')).toHaveLength(500)
        expect(greeting(one)).toMatchObject({ totalEvents: expected.length, lastSeq: 1_500 })
        expect(greeting(one)).not.toHaveProperty('eventHistory')
        const past = await client({ ...handshake, since: 1_440 })
        expect(seqsOf(historyOf(past))).toEqual(expected.filter(seq => seq > 1_440))
      }
    },
  )

  test('an empty journal has nothing, and ends at 0', async () => {
    const { client } = await startTestServer()
    expect(greeting(await client(plain))).toMatchObject({ totalEvents: 0, lastSeq: 0 })
  })
})

/** Flips a bit in the second line. */
function damage(path: string): void {
  const bytes = readFileSync(path)
  const at = bytes.indexOf(0x0a) + 40
  bytes[at] = (bytes[at] ?? 0) ^ 1
  writeFileSync(path, bytes)
}

describe('history.sync', () => {
  verifies(
    ['4.1/history-sync', '4.1/history-sync-has-more', 'd5/history-batch-count'],
    'streams the whole journal in batches of at most 500; the last one says so',
    async () => {
      const { client, journal } = await startTestServer()
      fill(journal, 1_230)
      const one = await client({ mode: 'readonly' })
      const batches = await sync(one)
      expect(batches.map(batch => (batch.data['events'] as readonly unknown[]).length)).toEqual([
        500, 500, 230,
      ])
      expect(batches.map(batch => batch.data['hasMore'])).toEqual([true, true, false])
      expect(seqsOf(eventsIn(batches))).toEqual(range(1, 1_230))
    },
  )

  verifies(
    ['d5/history-batch-bytes'],
    'keeps a batch within 1 MiB; one larger event goes alone',
    async () => {
      const { client, journal } = await startTestServer({ journal: await quickJournal() })
      fill(journal, 12, 'x'.repeat(200_000))
      fill(journal, 1, 'y'.repeat(3 * mebibyte))
      fill(journal, 3)
      const batches = await sync(await client())
      for (const batch of batches) {
        const list = batch.data['events'] as readonly Message[]
        const bytes = list.reduce((sum, event) => sum + Buffer.byteLength(JSON.stringify(event)), 0)
        if (list.length > 1) expect(bytes).toBeLessThanOrEqual(mebibyte)
      }
      expect(seqsOf(eventsIn(batches))).toEqual(range(1, 16))
      expect(String(eventsIn(batches)[12]?.data['message'])).toHaveLength(3 * mebibyte)
    },
  )

  test('an empty journal is one empty batch', async () => {
    const { client } = await startTestServer()
    const batches = await sync(await client())
    expect(batches.map(batch => batch.data)).toEqual([{ events: [], hasMore: false }])
  })

  test('a journal with nothing for this client is one empty batch', async () => {
    const { client, journal } = await startTestServer()
    for (let n = 0; n < 1_200; n++)
      journal.append('rig.output', { codonId: 'c', operation: 0, stream: 'stdout', text: 'noise' })
    journal.flush()
    const batches = await sync(await client())
    expect(batches.map(batch => batch.data)).toEqual([{ events: [], hasMore: false }])
  })

  test('several at once, by one client and by many, are each complete', async () => {
    const { client, journal } = await startTestServer()
    fill(journal, 2_600)
    const clients = await Promise.all(range(1, 9).map(() => client()))
    clients[0]?.command('history.sync', undefined, 'first')
    const all = await Promise.all(clients.map(each => sync(each)))
    for (const batches of all) expect(seqsOf(eventsIn(batches))).toEqual(range(1, 2_600))
    const first = clients[0]?.messages().filter(message => message.commandId === 'first') ?? []
    expect(seqsOf(eventsIn(first))).toEqual(range(1, 2_600))
  })
})
