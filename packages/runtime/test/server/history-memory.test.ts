import { describe, expect, test } from 'vitest'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { createSemaphore } from '../../src/kit/index.ts'
import { streamHistory } from '../../src/server/history.ts'
import { openTestJournal } from '../journal/open.ts'

const many = 4_000

/** What a receiver of the whole history gets, copied in the moment in which it is sent, and the memory it came in. */
async function streamed({ isQuick }: { readonly isQuick: boolean }) {
  const journal = await openTestJournal(await tempDir(), { segmentBytes: 300_000 })
  for (let n = 1; n <= many; n++) journal.append('info', { message: `number ${n} ${'x'.repeat(n % 900)}` })
  journal.flush()
  const copies: string[] = []
  const sent: Buffer[] = []
  await streamHistory({
    history: journal.history,
    readers: createSemaphore({ permits: 1 }),
    upTo: journal.lastSeq,
    wantsExtensions: true,
    maxEvents: 100,
    maxBytes: 1024 * 1024,
    receiver: { isOpen: true, isDrained: true, isIdle: isQuick, drained: async () => undefined },
    send(events) {
      copies.push(events.toString())
      sent.push(events)
    },
    onDamage: page => expect(page.problems).toEqual([]),
  })
  await journal.close()
  const read = copies.flatMap(text => JSON.parse(`[${text}]`) as { readonly seq: number }[])
  expect(read.map(({ seq }) => seq)).toEqual(Array.from({ length: many }, (_, at) => at + 1))
  return { copies, sent }
}

describe('a long history', () => {
  test('goes through one buffer while its receiver takes each batch at once', async () => {
    const { sent } = await streamed({ isQuick: true })
    expect(sent.length).toBeGreaterThan(many / 100 - 1)
    expect(new Set(sent.map(({ buffer }) => buffer)).size).toBe(1)
  })

  test('leaves alone what a slow receiver has not taken', async () => {
    const { copies, sent } = await streamed({ isQuick: false })
    expect(sent.map(String)).toEqual(copies)
  })
})
