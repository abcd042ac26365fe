import fc from 'fast-check'
import { expect, test } from 'vitest'
import { verifies } from '../../../../../test/conformance/verifies.ts'
import { createTestClock } from '../../../../../test/support/test-clock.ts'
import { readMessage } from '../../../src/harness/claude/read-message.ts'
import { createTranslate } from '../../../src/harness/claude/translate.ts'
import type { HarnessEvent } from '../../../src/harness/index.ts'

function start(clock = createTestClock()) {
  const translate = createTranslate(clock)
  return { clock, hear: (raw: unknown) => translate(readMessage(raw)) }
}

const stream = (event: object, parent?: string) => ({
  type: 'stream_event',
  event,
  parent_tool_use_id: parent ?? null,
})

const began = (id: string, usage: object) =>
  stream({ type: 'message_start', message: { id, model: 'claude-x', usage } })
const grew = (usage: object, parent?: string, stop_reason: string | null = 'end_turn') =>
  stream({ type: 'message_delta', delta: { stop_reason }, usage }, parent)

function answer(id: string, content: readonly object[], usage: object = {}) {
  return { type: 'assistant', message: { id, model: 'claude-x', content, usage } }
}

const tokensOf = (events: readonly HarnessEvent[]) =>
  events.flatMap(event => (event.type === 'usage' ? [event.tokens] : []))

test('tells the usage of an answer as it grows, and not again when a block repeats it', () => {
  const { hear } = start()
  const first = {
    input_tokens: 100,
    output_tokens: 1,
    cache_creation_input_tokens: 30,
    cache_read_input_tokens: 7,
  }
  const tokens = { inputTokens: 100, outputTokens: 1, cacheCreationTokens: 30, cacheReadTokens: 7 }
  expect(hear(began('m1', first))).toEqual([
    { type: 'usage', messageId: 'm1', tokens, modelId: 'claude-x', isPartial: true },
  ])
  expect(hear(answer('m1', [{ type: 'text', text: 'a' }], first))).toEqual([{ type: 'text', text: 'a' }])
  const grown = { ...tokens, outputTokens: 50 }
  expect(hear(grew({ output_tokens: 50 }))).toEqual([
    { type: 'usage', messageId: 'm1', tokens: grown, modelId: 'claude-x' },
  ])
  expect(tokensOf(hear(answer('m1', [{ type: 'text', text: 'b' }], first)))).toEqual([])
})

test('the last report of an answer says that it is the last, also when it says nothing else', () => {
  const { hear } = start()
  const usage = { input_tokens: 9, output_tokens: 1 }
  hear(began('m1', usage))
  expect(tokensOf(hear(grew({ output_tokens: 1 }, undefined, null))), 'cut off').toEqual([])
  const [last] = hear(grew({ output_tokens: 1 }))
  expect(last).toMatchObject({ type: 'usage', tokens: { inputTokens: 9, outputTokens: 1 } })
  expect(last).not.toHaveProperty('isPartial')
})

test('an answer that was not streamed is told once, with all of its usage', () => {
  const { hear } = start()
  const usage = { input_tokens: 9, output_tokens: 4 }
  const events = hear(answer('m1', [], usage))
  const tokens = { inputTokens: 9, outputTokens: 4, cacheCreationTokens: 0, cacheReadTokens: 0 }
  expect(events).toEqual([{ type: 'usage', messageId: 'm1', tokens, modelId: 'claude-x' }])
  expect(tokensOf(hear(answer('m1', [{ type: 'text', text: 'b' }], usage)))).toEqual([])
})

test('keeps the answers of subagents apart from the main one', () => {
  const { hear } = start()
  hear(began('main', { input_tokens: 1, output_tokens: 1 }))
  hear(stream({ type: 'message_start', message: { id: 'sub', usage: { input_tokens: 5 } } }, 'tool-1'))
  const ofSub = hear(grew({ output_tokens: 20 }, 'tool-1'))
  expect(ofSub).toMatchObject([{ messageId: 'sub', tokens: { inputTokens: 5, outputTokens: 20 } }])
  const ofMain = hear(grew({ output_tokens: 8 }))
  expect(ofMain).toMatchObject([{ messageId: 'main', tokens: { inputTokens: 1, outputTokens: 8 } }])
})

test('however its reports are repeated, the last one of an answer has its largest counts', () => {
  const counts = fc.record({ input_tokens: fc.nat(99), output_tokens: fc.nat(99) })
  fc.assert(
    fc.property(fc.array(counts, { minLength: 1 }), reports => {
      const { hear } = start()
      const events = reports.flatMap((usage, at) =>
        hear(at % 2 === 0 ? began('m1', usage) : answer('m1', [], usage)),
      )
      expect(tokensOf(events).at(-1)).toMatchObject({
        inputTokens: Math.max(...reports.map(report => report.input_tokens)),
        outputTokens: Math.max(...reports.map(report => report.output_tokens)),
      })
    }),
  )
})

test('a result of a tool has its name and the time it took', async () => {
  const { clock, hear } = start()
  hear(answer('m1', [{ type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'make' } }]))
  await clock.advance(1_500)
  const content = [{ type: 'tool_result', tool_use_id: 't1', content: 'ok' }]
  expect(hear({ type: 'user', message: { content } })).toEqual([
    { type: 'tool-result', id: 't1', name: 'Bash', output: 'ok', isError: false, durationMs: 1_500 },
  ])
})

test('what is no news is a sign of life, told four times a second at most', async () => {
  const { clock, hear } = start()
  const delta = stream({ type: 'content_block_delta' })
  expect(hear(delta)).toEqual([{ type: 'alive' }])
  expect(hear(delta)).toEqual([])
  await clock.advance(249)
  expect(hear({ type: 'tool_progress' })).toEqual([])
  await clock.advance(1)
  expect(hear({ type: 'something new' })).toEqual([{ type: 'alive' }])
  await clock.advance(249)
  hear(answer('m1', [{ type: 'text', text: 'news' }]))
  await clock.advance(1)
  expect(hear(delta)).toEqual([])
})

test('a pause before the next request and a compaction are told', () => {
  const { hear } = start()
  const retry = { type: 'system', subtype: 'api_retry', attempt: 1, retry_delay_ms: 2_000, error_status: 429 }
  expect(hear(retry)).toEqual([
    { type: 'waiting', delayMs: 2_000, reason: 'the provider limits the rate of requests (429)' },
  ])
  expect(hear({ ...retry, error_status: null })).toMatchObject([
    { reason: 'the provider could not be reached' },
  ])
  expect(hear({ type: 'system', subtype: 'compact_boundary' })).toEqual([{ type: 'compacted' }])
})

const lastUsage = (events: readonly HarnessEvent[]) => events.findLast(event => event.type === 'usage')

verifies(['attack/usage-missing'], 'usage that was not told, or cannot be, is not known', () => {
  const right = { input_tokens: 9, output_tokens: 1 }
  const cases: readonly (readonly [object, object, true | undefined])[] = [
    [right, { output_tokens: 4 }, undefined],
    [{ ...right, input_tokens: 0, cache_read_input_tokens: 9 }, { output_tokens: 4 }, undefined],
    [{ ...right, cache_read_input_tokens: null }, { output_tokens: 4 }, undefined],
    [{}, {}, true],
    [{ input_tokens: 9 }, {}, true],
    [{ output_tokens: 1 }, { output_tokens: 4 }, true],
    [{ input_tokens: 0, output_tokens: 0 }, { output_tokens: 0 }, true],
    [right, { output_tokens: -4 }, true],
    [right, { output_tokens: 'four' }, true],
    [right, { output_tokens: 1e308 }, true],
    [right, { output_tokens: 2_000_000_000 }, true],
    [right, { output_tokens: 1.5 }, true],
    [{ ...right, cache_creation_input_tokens: -1 }, { output_tokens: 4 }, true],
  ]
  for (const [first, last, isUnknown] of cases) {
    const { hear } = start()
    const events = [
      began('m1', first),
      answer('m1', [{ type: 'text', text: 'a' }], first),
      grew(last),
    ].flatMap(hear)
    expect(lastUsage(events)?.isUnknown, JSON.stringify([first, last])).toBe(isUnknown)
  }
  // An answer that came as a whole.
  expect(lastUsage(start().hear(answer('m1', [{ type: 'text', text: 'a' }], {})))?.isUnknown).toBe(true)
  expect(
    lastUsage(start().hear(answer('m1', [{ type: 'text', text: 'a' }], right)))?.isUnknown,
  ).toBeUndefined()
})
