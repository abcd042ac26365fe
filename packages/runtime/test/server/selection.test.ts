import type { JournaledEvent } from '@weave/protocol'
import { expect, test } from 'vitest'
import { batchExtension, weaveExtension } from 'weave-client'
import { createSelection } from '../../src/server/selection.ts'
import { type Message, startTestServer } from './test-server.ts'

const told = (...types: readonly string[]) =>
  types.map((type, at) => ({
    event: { seq: at + 1, type, data: { message: `word ${at + 1}` } } as unknown as JournaledEvent,
  }))

const seqs = (batch: readonly { readonly event: JournaledEvent }[] | undefined) =>
  batch?.map(({ event }) => event.seq)

test('of a moment only what was selected is left, and once a second the newest', () => {
  let now = 0
  const selection = createSelection({ types: ['error'], filter: { text: 'WORD 3' } }, () => now)
  const batch = told('info', 'error', 'info', 'info')
  expect(seqs(selection?.(batch))).toEqual([2, 3])
  now = 1_000
  expect(seqs(selection?.(batch))).toEqual([2, 3, 4])
  now = 1_999
  expect(seqs(selection?.(told('info')))).toEqual([])
  now = 2_000
  expect(seqs(selection?.(told('info')))).toEqual([1])
  now = 3_000
  expect(seqs(selection?.(told('info', 'error')))).toEqual([2])
})

test('without types and without a filter everything is wanted, with no types nothing', () => {
  expect(createSelection({}, () => 0)).toBeUndefined()
  expect(seqs(createSelection({ types: [] }, () => 0)?.(told('error', 'info')))).toEqual([])
})

/** The journaled events in what came, whichever way they were sent. */
const journaled = (messages: readonly (Message | readonly Message[])[]) =>
  messages.flat().flatMap(({ seq, type }) => (seq === undefined ? [] : [`${seq} ${type}`]))

test.each([[[weaveExtension]], [[weaveExtension, batchExtension]]])(
  'a client of %s is sent what it selected, from one event on, beside others who are sent everything',
  async extensions => {
    const { client, journal } = await startTestServer()
    const [narrow, wide] = [
      await client({ mode: 'readonly', extensions }),
      await client({ mode: 'readonly', extensions }),
    ]
    const tell = (...words: readonly string[]) =>
      words.map(message => journal.append('info', { message }).seq).at(-1) ?? 0
    const first = tell('a', 'b')
    narrow.command('events.select', { types: ['error'], filter: { text: 'needle' } }, 'c1')
    const { data, commandId } = await narrow.next('events.selected')
    expect({ data, commandId }).toEqual({ data: { lastSeq: first }, commandId: 'c1' })
    tell('c', 'a NEEDLE', 'd')
    const { seq: failed } = journal.append('error', {
      message: 'no',
      fatal: false,
      severity: 'operation',
      code: 'UNKNOWN_RUN',
    })
    narrow.command('events.select', {}, 'c2')
    await narrow.next('events.selected')
    const last = tell('e')
    const isLast = (message: Message) => [message].flat().some(({ seq }) => seq === last)
    await Promise.all([narrow.next(isLast), wide.next(isLast)])
    const all = Array.from({ length: last - first }, (_, at) => first + 1 + at)
    const info = (seq: number) => `${seq} info`
    expect(journaled(narrow.messages()).slice(-5)).toEqual([
      info(first - 1),
      info(first),
      info(first + 2),
      `${failed} error`,
      info(last),
    ])
    expect(journaled(wide.messages()).slice(-all.length)).toEqual(
      all.map(seq => (seq === failed ? `${seq} error` : info(seq))),
    )
  },
)

test('a client that did not ask for the extension has no such command', async () => {
  const { client } = await startTestServer()
  const plain = await client({ mode: 'readonly' })
  plain.command('events.select', {}, 'c1')
  expect(await plain.next('error')).toMatchObject({ commandId: 'c1', data: { code: 'UNKNOWN_COMMAND' } })
})
