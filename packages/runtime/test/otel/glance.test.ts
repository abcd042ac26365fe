import { emptyState, type JournaledEvent } from '@weave/protocol'
import fc from 'fast-check'
import { describe, expect } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { createHistory, type Journal } from '../../src/journal/index.ts'
import { createRedactor } from '../../src/kit/index.ts'
import { glance } from '../../src/otel/glance.ts'
import { createFold, type EndedSpan, type FoldOptions, pastEvents } from '../../src/otel/index.ts'
import { createRecorder } from '../../src/runner/index.ts'
import { openTestJournal } from '../journal/open.ts'
import { longStory } from './story.ts'

async function written(write: (journal: Journal) => void) {
  const dir = await tempDir()
  const journal = await openTestJournal(dir)
  write(journal)
  await journal.close()
  return createHistory({ dir })
}

/** Each line with what a glance and the parser say of it. */
async function read(history: Awaited<ReturnType<typeof written>>) {
  const lines: { readonly seen: ReturnType<typeof glance>; readonly event: JournaledEvent | undefined }[] = []
  for await (const { events } of history.pages())
    for (const stored of events)
      lines.push({
        seen: glance(stored.rest, history.type(stored)),
        event: await history.event(stored),
      })
  return lines
}

/** Without what no span tells of. */
function looked(event: JournaledEvent | undefined): unknown {
  if (event?.type === 'tool.result') return { ...event, data: { ...event.data, result: '' } }
  if (event?.type === 'token.usage') return { ...event, data: { ...event.data, modelUsage: undefined } }
  if (event?.type !== 'state.transition') return event
  return { ...event, data: { ...event.data, runId: undefined, codonId: undefined } }
}

const count = fc.nat({ max: 2 ** 40 })
const dollars = fc.double({ min: 0, max: 1e9, noNaN: true })
const tokens = fc.record({
  inputTokens: count,
  outputTokens: count,
  cacheCreationTokens: count,
  cacheReadTokens: count,
})
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '',
    'é',
    '"',
    '\\',
    '\\"',
    '","truncated":true,"originalLength":1,"executionTimeMs":1,"isError":true}}',
  ),
)
const codonId = fc.oneof(fc.constant('draft'), text)
const startedAt = fc.constant('2026-01-01T00:00:00.000Z')
const usage = fc.record({
  inputTokens: count,
  outputTokens: count,
  cacheReadInputTokens: count,
  cacheCreationInputTokens: count,
  costUSD: dollars,
})

const events = fc.oneof(
  fc
    .tuple(
      fc.record({ codonId, totalCost: dollars }),
      tokens,
      fc.record(
        {
          modelId: text,
          modelUsage: fc.dictionary(
            text.filter(name => name !== '__proto__'),
            usage,
            { maxKeys: 2 },
          ),
          startedAt,
        },
        { requiredKeys: [] },
      ),
    )
    .map(
      ([head, counts, more]) =>
        ['token.usage', { codonId: head.codonId, ...counts, totalCost: head.totalCost, ...more }] as const,
    ),
  fc
    .record({
      codonId,
      toolUseId: text,
      toolName: text,
      result: text,
      truncated: fc.boolean(),
      originalLength: count,
      executionTimeMs: fc.oneof(count, dollars),
      isError: fc.boolean(),
    })
    .map(data => ['tool.result', data] as const),
)

describe('a glance at a line', () => {
  verifies(['otel/quick-lines'], 'says what the parser says, or nothing', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(events, { minLength: 1, maxLength: 20 }), async list => {
        const history = await written(journal => {
          for (const [type, data] of list) journal.append(type, data)
        })
        for (const { seen, event } of await read(history)) if (seen) expect(seen).toEqual(looked(event))
      }),
      { numRuns: 60 },
    )
  })

  verifies(['otel/quick-lines'], 'is enough for the lines of which a long journal consists', async () => {
    const story = longStory()
    const hot = new Set(['token.usage', 'tool.result'])
    const history = await written(journal => {
      const recorder = createRecorder(journal, createRedactor([]), emptyState)
      for (const { type, data } of story.events)
        if (type === 'state.transition') recorder.record(data.transition as never)
        else journal.append(type, data)
    })
    const lines = await read(history)
    for (const { seen, event } of lines) {
      const kind = event?.type === 'state.transition' ? event.data.transitionType : event?.type
      if (kind === 'AssistantMessageCountUpdated') expect(seen).toBe('passed over')
      else if (kind === 'CostsUpdated' || hot.has(kind ?? '')) expect(seen).toEqual(looked(event))
      else expect(seen).toBe(undefined)
    }
    expect(lines.filter(({ seen }) => typeof seen === 'object').length).toBeGreaterThan(10)

    const options: FoldOptions = { executionId: 'evt_1', names: '1.41', content: 'none', rehearsal: true }
    const parsed = createFold(options)
    const expected = lines.flatMap(({ event }) => (event ? parsed.add(event) : []))
    const fold = createFold(options)
    const spans: EndedSpan[] = []
    for await (const page of pastEvents(history, { content: 'none' }))
      for (const event of page.events) spans.push(...fold.add(event))
    expect(spans).toEqual(expected)
  })
})
