import type { AssistantMessage } from '@earendil-works/pi-ai'
import type { AgentSessionEvent } from '@earendil-works/pi-coding-agent'
import { expect, test } from 'vitest'
import { createTestClock } from '../../../../../test/support/test-clock.ts'
import { createEventReporter } from '../../../src/harness/pi/worker/reporter.ts'
import { untilSettled } from '../../../src/harness/pi/worker/take-turn.ts'
import type { FromWorker } from '../../../src/harness/pi/worker-protocol.ts'

function setUp() {
  const clock = createTestClock()
  const sent: FromWorker[] = []
  const reporter = createEventReporter({ send: message => void sent.push(message), clock, modelId: 'm' })
  const events = () => sent.flatMap(message => (message.type === 'event' ? [message.event] : []))
  const raw = () => sent.flatMap(message => (message.type === 'raw' ? [message.message] : []))
  return { clock, reporter, events, raw }
}

const bash = { toolCallId: 't1', toolName: 'bash' }
const began: AgentSessionEvent = { type: 'tool_execution_start', ...bash, args: {} }
const ended: AgentSessionEvent = {
  type: 'tool_execution_end',
  ...bash,
  isError: false,
  result: {
    content: [
      { type: 'text', text: 'out' },
      { type: 'image', data: '', mimeType: 'image/png' },
    ],
  },
}

test('a tool that says nothing is a sign of life every ten seconds, and none before or after', async () => {
  const { clock, reporter, events } = setUp()
  await clock.advance(60_000)
  expect(events()).toEqual([])
  reporter.handle(began)
  await clock.advance(35_000)
  reporter.handle(ended)
  await clock.advance(60_000)
  expect(events()).toEqual([
    { type: 'alive' },
    { type: 'alive' },
    { type: 'alive' },
    {
      type: 'tool-result',
      id: 't1',
      name: 'Bash',
      output: 'out\n[image/png]',
      isError: false,
      durationMs: 35_000,
    },
  ])
})

test('an answer that streams is a sign of life, told four times a second at most', async () => {
  const { clock, reporter, events } = setUp()
  for (let at = 0; at < 50; at++) {
    await clock.advance(50)
    reporter.alive()
  }
  expect(events()).toHaveLength(10)
})

test('an event that is not known is kept and counted', () => {
  const { reporter, events, raw } = setUp()
  const odd = { type: 'entry_appended', entry: 1 }
  const handle: (event: never) => void = reporter.handle
  handle(odd as never)
  handle(odd as never)
  reporter.close()
  expect(events()).toEqual([])
  expect(raw()).toEqual([odd, odd, { type: 'unknown_events', counts: { entry_appended: 2 } }])
})

const answer = (given: Partial<AssistantMessage>): AgentSessionEvent => ({
  type: 'message_end',
  message: {
    role: 'assistant',
    content: [],
    api: 'a',
    provider: 'p',
    model: 'm',
    usage: {
      input: 0,
      output: 0,
      cacheRead: 0,
      cacheWrite: 0,
      totalTokens: 0,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
    },
    stopReason: 'stop',
    timestamp: 0,
    ...given,
  },
})

test('an answer that broke off tells what was said and paid, not the tools that were never called', () => {
  const { reporter, events } = setUp()
  const usage = {
    input: -3,
    output: 4,
    cacheRead: 2,
    cacheWrite: 1,
    totalTokens: 0,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  }
  const content: AssistantMessage['content'] = [
    { type: 'thinking', thinking: 'secret', redacted: true },
    { type: 'text', text: 'half' },
    { type: 'toolCall', id: 't', name: 'bash', arguments: { command: 'rm' } },
  ]
  reporter.handle(answer({ content, usage, stopReason: 'error' }))
  const tokens = { inputTokens: 0, outputTokens: 4, cacheReadTokens: 2, cacheCreationTokens: 1 }
  expect(events()).toEqual([
    { type: 'text', text: 'half' },
    { type: 'usage', messageId: '1', tokens, isUnknown: true, modelId: 'm' },
  ])
})

test('a refusal is not charged; what an answer without usage cost is not known', () => {
  const { reporter, events } = setUp()
  reporter.handle(answer({ stopReason: 'error' }))
  expect(events()).toEqual([])
  reporter.handle(answer({}))
  expect(events()).toMatchObject([{ type: 'usage', isUnknown: true }])
})

test.each([
  [{ input: 5, output: 2 }, undefined],
  [{ input: 0, output: 2, cacheRead: 7 }, undefined],
  [{ input: 0, output: 2 }, true],
  [{ input: -1, output: 2, cacheRead: 7 }, true],
  [{ input: 5, output: Number.NaN }, true],
  [{ input: 5, output: 1e308 }, true],
  [{ input: 1.5, output: 2 }, true],
])('the usage %o is unknown: %s', (given, isUnknown) => {
  const { reporter, events } = setUp()
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 }
  const usage = { cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost, ...given }
  reporter.handle(answer({ usage }))
  const [event] = events()
  expect(event?.type === 'usage' ? event.isUnknown : 'none').toBe(isUnknown)
})

test('updates are not repeated in the session log', () => {
  const { reporter, raw } = setUp()
  const partial = answer({})
  if (partial.type !== 'message_end' || partial.message.role !== 'assistant') throw new Error('no answer')
  const { message } = partial
  reporter.handle({
    type: 'message_update',
    message,
    assistantMessageEvent: { type: 'text_delta', contentIndex: 0, delta: 'x', partial: message },
  })
  reporter.handle({ type: 'tool_execution_update', ...bash, args: {}, partialResult: {} })
  reporter.handle({ type: 'agent_end', messages: [message] })
  expect(raw()).toEqual([{ type: 'agent_end', messages: 1 }])
})

function fakeSession() {
  const listeners = new Set<(event: AgentSessionEvent) => void>()
  return {
    subscribe(listener: (event: AgentSessionEvent) => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    emit(event: AgentSessionEvent) {
      for (const listener of listeners) listener(event)
    },
    listeners,
  }
}

const compaction = (willRetry: boolean): AgentSessionEvent => ({
  type: 'compaction_end',
  reason: 'overflow',
  result: undefined,
  aborted: false,
  willRetry,
})

test('a turn is over when neither a compaction nor another try follows', async () => {
  const clock = createTestClock()
  const session = fakeSession()
  let over = false
  void untilSettled(session, clock, new AbortController().signal).then(() => {
    over = true
  })
  session.emit({ type: 'agent_start' })
  session.emit({ type: 'agent_end', messages: [] })
  session.emit({ type: 'compaction_start', reason: 'overflow' })
  await clock.advance(1_000)
  expect(over).toBe(false)
  session.emit(compaction(true))
  await clock.advance(100)
  expect(over).toBe(false)
  session.emit({ type: 'agent_start' })
  await clock.advance(10_000)
  expect(over).toBe(false)
  session.emit({ type: 'agent_end', messages: [] })
  await clock.advance(0)
  expect(over).toBe(true)
  expect(session.listeners.size).toBe(0)
})

test('a try that was announced and never comes is not waited for for ever', async () => {
  const clock = createTestClock()
  const session = fakeSession()
  let over = false
  void untilSettled(session, clock, new AbortController().signal).then(() => {
    over = true
  })
  session.emit({ type: 'agent_start' })
  session.emit({ type: 'agent_end', messages: [] })
  session.emit({ type: 'compaction_start', reason: 'overflow' })
  session.emit(compaction(true))
  await clock.advance(4_999)
  expect(over).toBe(false)
  await clock.advance(2)
  expect(over).toBe(true)
})
