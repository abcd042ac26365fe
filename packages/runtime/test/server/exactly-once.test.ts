import * as fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { batchExtension, connect, weaveExtension } from 'weave-client'
import { WebSocket } from 'ws'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { type Message, sized, startTestServer, type TestClient, type TestServer } from './test-server.ts'

type Action =
  | {
      readonly do: 'append'
      readonly count: number
      readonly isExtension: boolean
      readonly isSynced: boolean
    }
  | {
      readonly do: 'connect'
      readonly who: number
      readonly wantsExtensions: boolean
      readonly wantsBatches: boolean
    }
  | { readonly do: 'sync'; readonly who: number }
  | { readonly do: 'drop'; readonly who: number }
  | { readonly do: 'turn'; readonly turns: number }

const who = fc.nat({ max: 3 })
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('append' as const),
      count: fc.integer({ min: 1, max: 20 }),
      isExtension: fc.boolean(),
      isSynced: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('connect' as const),
      who,
      wantsExtensions: fc.boolean(),
      wantsBatches: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('sync' as const), who }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('drop' as const), who }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('turn' as const), turns: fc.integer({ min: 0, max: 4 }) }),
  },
)

/** One connection of one of the clients. */
interface Visit {
  readonly client: TestClient
  readonly since: number
  readonly wantsExtensions: boolean
  isOpen: boolean
  syncs: number
}

/** Plays the actions; returns every connection there was, and which events are for everyone. */
async function play(actions: readonly Action[], { journal, stranger }: TestServer) {
  const visits: Visit[] = []
  const current = new Map<number, Visit>()
  const lastSeen = new Map<number, number>()
  const plain: number[] = []
  const append = (isExtension: boolean): void => {
    if (isExtension) journal.append('rig.output', { codonId: 'c', operation: 0, stream: 'stdout', text: 't' })
    else plain.push(journal.append('info', { message: 'm' }).seq)
  }
  const drop = (name: number): void => {
    const visit = current.get(name)
    if (!visit) return
    visit.isOpen = false
    lastSeen.set(name, Math.max(visit.since, ...told(visit.client).map(event => event.seq ?? 0)))
    visit.client.raw.socket.destroy()
    current.delete(name)
  }
  for (const step of actions) {
    if (step.do === 'append') {
      for (let n = 0; n < step.count; n++) append(step.isExtension)
      if (step.isSynced) journal.flush()
    } else if (step.do === 'turn') {
      for (let n = 0; n < step.turns; n++) await new Promise(resolve => setImmediate(resolve))
    } else if (step.do === 'drop') drop(step.who)
    else if (step.do === 'sync') {
      const visit = current.get(step.who)
      if (visit) visit.client.command('history.sync', undefined, `sync-${++visit.syncs}`)
    } else {
      drop(step.who)
      const since = lastSeen.get(step.who) ?? 0
      const { wantsExtensions, wantsBatches } = step
      const client = await stranger()
      const extensions = [
        ...(wantsExtensions ? [weaveExtension] : []),
        ...(wantsBatches ? [batchExtension] : []),
      ]
      client.send({
        type: 'handshake',
        data: { mode: 'readonly', sendPreviousEvents: true, since, extensions },
      })
      const visit = { client, since, wantsExtensions, isOpen: true, syncs: 0 }
      visits.push(visit)
      current.set(step.who, visit)
    }
  }
  append(false)
  return { visits, plain }
}

/** What a client was told outside of batches: the history of its handshake, then live. */
function told(client: TestClient): readonly Message[] {
  return client
    .messages()
    .flatMap(message =>
      message.type === 'handshake.response'
        ? ((message.data['eventHistory'] ?? []) as readonly Message[])
        : message.seq === undefined
          ? []
          : [message],
    )
}

/** The last event may come with the history or live. */
async function untilTold(client: TestClient, seq: number): Promise<void> {
  while (told(client).at(-1)?.seq !== seq) await client.raw.until(() => true, client.raw.frames.length)
}

function syncedBy({ client }: Visit, id: string): readonly number[] {
  return client
    .messages()
    .filter(message => message.commandId === id)
    .flatMap(batch => (batch.data['events'] as readonly Message[]).map(event => event.seq ?? 0))
}

verifies(
  ['d5/reconnect-exactly-once'],
  'whatever happens between them, each client is told each event once and in order, and each sync is complete',
  async () => {
    const limits = { batchEvents: 7, messagesPerSecond: 10_000 }
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 5, maxLength: 40 }), async actions => {
        const server = await startTestServer({ limits })
        const { visits, plain } = await play(actions, server)
        const { lastSeq } = server.journal
        const all = Array.from({ length: lastSeq }, (_, at) => at + 1)
        for (const visit of visits) {
          const visible = visit.wantsExtensions ? all : plain
          const expected = visible.filter(seq => seq > visit.since)
          if (visit.isOpen) {
            await untilTold(visit.client, lastSeq)
            for (let n = 1; n <= visit.syncs; n++) {
              const id = `sync-${n}`
              await visit.client.raw.until(frame => isLastBatch(frame.payload, id))
              const synced = syncedBy(visit, id)
              expect(synced).toEqual(visible.slice(0, synced.length))
              expect(synced.length).toBeGreaterThanOrEqual(visible.filter(seq => seq <= visit.since).length)
            }
          }
          const seqs = told(visit.client).map(event => event.seq)
          expect(seqs).toEqual(visit.isOpen ? expected : expected.slice(0, seqs.length))
          visit.client.raw.socket.destroy()
        }
        await server.server.close('done')
      }),
      { numRuns: sized(25, 1_000) },
    )
  },
  sized(60_000, 900_000),
)

function isLastBatch(payload: Buffer, id: string): boolean {
  return payload.includes(`"commandId":"${id}"`) && payload.subarray(-40).includes('"hasMore":false')
}

test.each([
  ['alone', [weaveExtension]],
  ['in batches', [weaveExtension, batchExtension]],
])(
  'our own client, cut off again and again, delivers each event once and in order: %s',
  async (_, extensions) => {
    const { journal, server } = await startTestServer({ limits: { historyEvents: 50 } })
    const sockets: WebSocket[] = []
    class Watched extends WebSocket {
      constructor(url: string) {
        super(url)
        sockets.push(this)
      }
    }
    const client = connect(server.url, {
      mode: 'readonly',
      since: 0,
      extensions,
      socket: Watched,
      reconnect: { baseDelayMs: 1, jitter: 0 },
    })
    onTestFinished(() => client.close())
    const seqs: number[] = []
    const complete = new Promise<void>(resolve => {
      client.onAny(event => {
        if (event.seq !== undefined) seqs.push(event.seq)
        if (event.type === 'info' && event.data.message === 'the last') resolve()
      })
    })
    await client.opened
    const rounds = sized(10, 100)
    for (let round = 0; round < rounds; round++) {
      for (let n = 0; n < 120; n++) journal.append('info', { message: 'one of many' })
      for (let turns = (round * 7) % 40; turns >= 0; turns--)
        await new Promise(resolve => setImmediate(resolve))
      sockets.at(-1)?.terminate()
    }
    journal.append('info', { message: 'the last' })
    await complete
    expect(seqs).toEqual(Array.from({ length: rounds * 120 + 1 }, (_, at) => at + 1))
    expect(sockets.length).toBeGreaterThan(2)
  },
)
