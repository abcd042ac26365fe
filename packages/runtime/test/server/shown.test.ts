import type { JournaledEvent } from '@weave/protocol'
import { expect, test } from 'vitest'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { openJournal, type StoredEvent } from '../../src/journal/index.ts'
import { createRedactor, systemClock } from '../../src/kit/index.ts'
import { createBroadcast } from '../../src/server/broadcast.ts'
import { shown } from '../../src/server/shown.ts'

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

test('what is hidden is journaled, and sent neither live nor with the history', async () => {
  const dir = await tempDir({ inMemory: true })
  const journal = await openJournal({ dir, clock: systemClock, redactor: createRedactor([]) })
  const broadcast = createBroadcast(journal, isQuiet)
  const heard: string[] = []
  broadcast.join({ wantsExtensions: true, send: frames => void heard.push(frames.map(String).join('')) })
  journal.append('sentinel.output', output('quiet'))
  journal.append('sentinel.output', output('loud'))
  journal.append('info', { message: 'the word quiet alone hides nothing' })
  journal.flush()
  broadcast.settle()
  expect(heard.join('')).not.toContain('"sentinelId":"quiet"')
  expect(heard.join('')).toContain('"sentinelId":"loud"')
  expect(broadcast.lastSeq).toBe(3)

  const stored: StoredEvent[] = []
  for await (const page of journal.history.pages()) stored.push(...page.events)
  expect(stored).toHaveLength(3)
  const seen = await shown(journal.history, stored, isQuiet)
  expect(seen.map(({ seq }) => seq)).toEqual([2, 3])
  expect(await shown(journal.history, stored, undefined)).toEqual(stored)
  await journal.close()
})
