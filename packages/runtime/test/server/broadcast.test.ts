import { type EventCategory, type EventType, events, eventTypes, type JournaledType } from '@weave/protocol'
import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { opcode } from '../../../../test/support/raw-websocket.ts'
import type { Journal } from '../../src/journal/index.ts'
import { sampleData } from './sample-data.ts'
import { startTestServer, type TestClient } from './test-server.ts'

const extended = { mode: 'readonly', extensions: ['weave'] }

function append(journal: Journal, type: JournaledType): void {
  journal.append(type, sampleData[type])
}

function typesOf(...categories: readonly EventCategory[]): readonly JournaledType[] {
  return eventTypes.filter(
    (type): type is JournaledType =>
      categories.includes(events[type].category) && events[type].delivery !== 'direct',
  )
}

/** Types of all journaled events that a client got. */
async function heard(client: TestClient, lastSeq: number): Promise<readonly string[]> {
  await client.next(message => message.seq === lastSeq)
  return client
    .messages()
    .filter(message => message.seq !== undefined)
    .map(message => message.type)
}

verifies(
  [
    '5/readonly-receives-events',
    '5/readandwrite-receives-events',
    '6/server-state-broadcast',
    '6/agentic-backbone-broadcast',
    '6/sentinel-broadcast',
    'd5/spec-events-for-all',
  ],
  'every journaled event of the specification goes to all clients, with and without extensions',
  async () => {
    const { client, journal } = await startTestServer()
    const clients = [await client({ mode: 'readonly' }), await client(), await client(extended)]
    const types = typesOf('server-state', 'rollback', 'agentic', 'sentinel')
    for (const type of types) append(journal, type)
    for (const each of clients) expect(await heard(each, types.length)).toEqual(types)
    // Four of the connection, the answer to a selection, and what is under way, are never journaled.
    expect(types.length + typesOf('extension').length + 6).toBe(eventTypes.length)
  },
)

verifies(
  ['d5/extensions-opt-in'],
  'extension events go only to clients that list weave, live, in the history and in batches',
  async () => {
    const { client, journal } = await startTestServer()
    const others = [
      await client({ mode: 'readonly' }),
      await client({ mode: 'readonly', extensions: [] }),
      await client({ mode: 'readonly', extensions: ['Weave', 'other'] }),
    ]
    const asking = await client({ mode: 'readonly', extensions: ['other', 'weave'] })
    const types = typesOf('extension')
    append(journal, 'info')
    for (const type of types) append(journal, type)
    append(journal, 'info')
    const all: readonly EventType[] = ['info', ...types, 'info']
    expect(await heard(asking, all.length)).toEqual(all)
    for (const other of others) expect(await heard(other, all.length)).toEqual(['info', 'info'])

    const past = (wants: boolean) => ({ mode: 'readonly', sendPreviousEvents: true, ...(wants && extended) })
    for (const wants of [true, false]) {
      const late = await client(past(wants))
      late.command('history.sync')
      const batch = await late.next('history.batch')
      const expected = wants ? all : ['info', 'info']
      expect(typesIn(late.messages()[0]?.data['eventHistory'])).toEqual(expected)
      expect(typesIn(batch.data['events'])).toEqual(expected)
    }
  },
)

function typesIn(list: unknown): readonly string[] {
  return (list as readonly { readonly type: string }[]).map(event => event.type)
}

describe('frames', () => {
  test('each event is one whole text frame, of any length', async () => {
    const { client, journal } = await startTestServer()
    const one = await client()
    const lengths = [0, 1, 20, 30, 100, 125, 126, 300, 4_000, 65_300, 65_535, 65_536, 70_000, 900_000]
    const messages = lengths.map(length => 'é'.repeat(length / 2) + 'x'.repeat(length % 2))
    for (const message of messages) journal.append('info', { message })
    await one.next(message => message.seq === lengths.length)
    const got = one.messages().filter(message => message.type === 'info')
    expect(got.map(message => message.data['message'])).toEqual(messages)
    expect(one.raw.frames.every(frame => frame.fin && frame.opcode === opcode.text)).toBe(true)
  })

  test('a client gets exactly the text that the journal wrote', async () => {
    const { client, journal } = await startTestServer()
    const texts: string[] = []
    journal.subscribe(({ text }) => texts.push(text))
    const one = await client()
    for (let n = 0; n < 50; n++) journal.append('info', { message: `${n} \u2028 "quoted" \u{1f600}` })
    await one.next(message => message.seq === 50)
    const frames = one.raw.frames.slice(-50).map(frame => frame.payload.toString('utf8'))
    expect(frames).toEqual(texts)
  })

  test('events of one tick reach the socket in one write', async () => {
    const { client, journal } = await startTestServer()
    const one = await client()
    let chunks = 0
    one.raw.socket.on('data', () => chunks++)
    for (let n = 0; n < 100; n++) journal.append('info', { message: 'short' })
    await one.next(message => message.seq === 100)
    expect(chunks).toBe(1)
  })

  test('what a command answers comes after what was told before it', async () => {
    const { client, control, journal } = await startTestServer()
    const one = await client()
    control.answer = () => {
      journal.append('state.snapshot', {
        completedCodons: [],
        fileTree: [],
        totalCost: 0,
        totalTime: 0,
        isRollingBack: false,
      })
      journal.flush()
      return { ok: false, code: 'NO_NEXT_CODON', message: '' }
    }
    one.command('codon.next')
    await one.next('error')
    expect(
      one
        .messages()
        .map(message => message.type)
        .slice(-2),
    ).toEqual(['state.snapshot', 'error'])
  })
})
