import type { JournaledEvent } from '@weave/protocol'
import { expect, test } from 'vitest'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { openJournal } from '../../src/journal/index.ts'
import { createRedactor, systemClock } from '../../src/kit/index.ts'
import { createBroadcast } from '../../src/server/broadcast.ts'

const output = (sentinelId: string) => ({
  sentinelId,
  codonId: 'a',
  triggerNumber: 1,
  outputType: 'text' as const,
  content: 'seen',
  cost: 0,
  tokens: { input: 1, output: 1 },
  eventCount: 1,
})

const isQuiet = (event: JournaledEvent): boolean =>
  event.type === 'sentinel.output' && event.data.sentinelId === 'quiet'

test('what is hidden is journaled and counted, but not told when it happens', async () => {
  const dir = await tempDir({ inMemory: true })
  const journal = await openJournal({ dir, clock: systemClock, redactor: createRedactor([]) })
  const broadcast = createBroadcast(journal, isQuiet)
  const heard: string[] = []
  broadcast.join({
    wantsExtensions: true,
    wantsBatches: false,
    send: frames => void heard.push(frames.map(String).join('')),
  })
  journal.append('sentinel.output', output('quiet'))
  journal.append('sentinel.output', output('loud'))
  journal.append('info', { message: 'the word quiet alone hides nothing' })
  journal.flush()
  broadcast.settle()
  expect(heard.join('')).not.toContain('"sentinelId":"quiet"')
  expect(heard.join('')).toContain('"sentinelId":"loud"')
  expect(broadcast.lastSeq).toBe(3)

  expect(journal.counts).toEqual({ all: 3, forEveryone: 3, plans: 0 })
  await journal.close()
})
