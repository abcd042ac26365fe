import { describe, expect } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { tally } from '../../../../test/support/proof.ts'
import { type Message, quickJournal, sized, startTestServer } from './test-server.ts'

function upTo(last: number): readonly number[] {
  return Array.from({ length: last }, (_, at) => at + 1)
}

function seqsOf(messages: readonly Message[]): readonly number[] {
  return messages.flatMap(message => message.seq ?? [])
}

describe('many', () => {
  verifies(
    ['safety/I16', '1/several-clients'],
    'clients that all come at once are all let in, hear everything, and can all be answered',
    async () => {
      const { client, journal, server } = await startTestServer()
      const count = sized(150, 1_000)
      const clients = await Promise.all(
        Array.from({ length: count }, (_, at) =>
          client({ mode: at % 2 === 0 ? 'readonly' : 'readandwrite', sendPreviousEvents: at % 3 === 0 }),
        ),
      )
      expect(server.clients()).toBe(count)
      tally('clients at once', count)
      const events = sized(60, 200)
      for (let n = 0; n < events; n++) {
        journal.append('info', { message: `event ${n}` })
        if (n % 8 === 0) await new Promise(resolve => setImmediate(resolve))
      }
      await Promise.all(clients.map(each => each.next(message => message.seq === events)))
      for (const each of clients) expect(seqsOf(each.messages())).toEqual(upTo(events))
      for (const each of clients) each.command('ping', undefined, 'here')
      await Promise.all(clients.map(each => each.next('pong')))
      for (const each of clients) each.raw.socket.destroy()
      while (server.clients() > 0) await new Promise(resolve => setImmediate(resolve))
    },
    120_000,
  )
})

verifies(
  ['safety/I15'],
  'a history of tens of thousands of events arrives complete, in order and single, while live events go on',
  async () => {
    const { client, journal } = await startTestServer({ journal: await quickJournal() })
    const before = sized(5_120, 51_200)
    const message = 'Some words of an agent. '.repeat(37)
    for (let n = 0; n < before; n++) {
      journal.append('info', { message })
      if (n % 512 === 511) await new Promise(resolve => setImmediate(resolve))
    }
    const [reading, watching] = [await client(), await client()]
    reading.command('history.sync', undefined, 'all')
    const isDone = (each: Message) => each.commandId === 'all' && each.data['hasMore'] === false
    const synced = reading.next(isDone)
    let live = 0
    const finished = synced.then(() => true)
    while (!(await Promise.race([finished, turn()]))) {
      journal.append('info', { message: `live ${live}` })
      live++
      await watching.next(each => each.seq === before + live)
    }
    const batches = reading.messages().filter(each => each.commandId === 'all')
    const events = batches.flatMap(batch => batch.data['events'] as readonly Message[])
    const inHistory = events.filter(event => (event.seq ?? 0) <= before)
    expect(seqsOf(inHistory)).toEqual(upTo(before))
    expect(seqsOf(events)).toEqual(upTo(events.length))
    journal.append('info', { message: 'the last' })
    await reading.next(each => each.seq === before + live + 1)
    const told = seqsOf(reading.messages())
    expect(told).toEqual(upTo(before + live + 1).slice(before))
    expect(live).toBeGreaterThan(2)
    tally('events of history while live', before)
  },
  120_000,
)

function turn(): Promise<false> {
  return new Promise(resolve => setImmediate(() => resolve(false)))
}
