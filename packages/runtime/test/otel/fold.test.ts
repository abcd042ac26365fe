import type { JournaledEvent } from '@weave/protocol'
import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import {
  attemptKey,
  createFold,
  type EndedSpan,
  type FoldOptions,
  spanIdOf,
  traceIdOf,
} from '../../src/otel/index.ts'
import { createStory, longStory } from './story.ts'

const plain: FoldOptions = { executionId: 'evt_1', names: '1.41', content: 'none', rehearsal: true }

function folded(events: readonly JournaledEvent[], options: Partial<FoldOptions> = {}): readonly EndedSpan[] {
  const fold = createFold({ ...plain, ...options })
  return events.flatMap(event => fold.add(event))
}

function sum(spans: readonly EndedSpan[], name: string): number {
  return spans.reduce((total, { attributes }) => total + Number(attributes[name] ?? 0), 0)
}

describe('ids', () => {
  verifies(['otel/ids'], 'are those of the pinned execution', () => {
    const [execution, run] = ['evt_1k7hlcv4m0000d8ul2e092o', 'run_1k7hlcv720000m554h1vb9o']
    expect(traceIdOf(execution)).toBe('3bc4a4e426ca03b94bfe418b6cd4f038')
    expect(spanIdOf(execution, ['run', run])).toBe('a4afc1af632bd335')
    expect(spanIdOf(execution, attemptKey(run, 0))).toBe('2fd6a02dcbd7e8a3')
    expect(spanIdOf(execution, ['chat', run, 0, 0])).toBe('12117f08e34a709d')
  })
})

describe('the fold of a journal', () => {
  const { events, state } = longStory()
  const spans = folded(events)

  verifies(['otel/spans'], 'has a span for everything that can happen, below its run', () => {
    const tree = (parentId: string | undefined, depth: number): readonly string[] =>
      spans
        .filter(span => span.parentId === parentId)
        .sort((left, right) => left.start - right.start)
        .flatMap(span => [`${'  '.repeat(depth)}${span.name}`, ...tree(span.spanId, depth + 1)])
    expect(tree(undefined, 0)).toEqual([
      'invoke_workflow Story',
      '  invoke_agent draft',
      '    weave.rig',
      '      weave.rig.command',
      '    chat sonnet-5',
      '    chat haiku-5',
      '    execute_tool Read',
      '    execute_tool Read',
      '    chat sonnet-5',
      '  invoke_agent review',
      '    chat gpt-5',
      '  invoke_agent review',
      '    chat gpt-5',
      '  weave.rollback',
      'invoke_workflow Story',
      '  invoke_agent draft',
      '    chat sonnet-5',
      '    chat sonnet-5',
      'invoke_workflow Story',
      '  invoke_agent draft',
      '    chat sonnet-5',
    ])
  })

  verifies(['otel/whole-tree'], 'has every id once and every parent', () => {
    const ids = new Set(spans.map(({ spanId }) => spanId))
    expect(ids.size).toBe(spans.length)
    expect(spans.filter(({ parentId }) => parentId !== undefined && !ids.has(parentId))).toEqual([])
    expect(spans.every(({ start, end }) => end >= start)).toBe(true)
  })

  verifies(
    ['otel/prefix'],
    'begins with the spans of every shorter journal, and ends them as a crash would',
    () => {
      const ids = new Set(spans.map(({ spanId }) => spanId))
      for (let length = 0; length <= events.length; length++) {
        const fold = createFold(plain)
        const shorter = events.slice(0, length).flatMap(event => fold.add(event))
        expect(shorter).toEqual(spans.slice(0, shorter.length))
        const rest = fold.abandon()
        const known = new Set([...shorter, ...rest].map(({ spanId }) => spanId))
        expect(
          [...shorter, ...rest].filter(({ parentId }) => parentId !== undefined && !known.has(parentId)),
        ).toEqual([])
        expect(rest.filter(({ spanId }) => !ids.has(spanId))).toEqual([])
      }
    },
  )

  verifies(
    ['otel/sums'],
    'adds up to the ledger, by attempt and by turn, also where a crash cut an answer off',
    () => {
      const records = state().runs.flatMap(({ codons }) => codons)
      const input = (record: (typeof records)[number]): number => {
        const { inputTokens, cacheCreationTokens, cacheReadTokens } = record.tokens
        return inputTokens + cacheCreationTokens + cacheReadTokens
      }
      const attempts = spans.filter(({ subject }) => subject === 'attempt')
      expect(attempts.map(({ attributes }) => attributes['weave.cost.usd'])).toEqual(
        records.map(({ cost }) => cost),
      )
      expect(attempts.map(({ attributes }) => attributes['gen_ai.usage.input_tokens'])).toEqual(
        records.map(input),
      )
      const turns = spans.filter(({ subject }) => subject === 'chat')
      for (const name of ['gen_ai.usage.input_tokens', 'gen_ai.usage.output_tokens'])
        expect(sum(turns, name)).toBe(sum(attempts, name))
      const runs = spans.filter(({ subject }) => subject === 'run')
      expect(runs.map(({ attributes }) => attributes['weave.cost.usd'])).toEqual(
        state().runs.map(({ cost }) => cost),
      )
    },
  )

  verifies(['otel/crash'], 'ends what a crash left open with the last sign of life', () => {
    const crashed = spans.filter(({ failure }) => failure?.type === 'crashed')
    expect(crashed.map(({ subject }) => subject)).toEqual(['chat', 'attempt', 'run'])
    expect(new Set(crashed.map(({ end }) => end)).size).toBe(1)
    const crash = events.find(({ data }) => 'transitionType' in data && data.transitionType === 'RunCrashed')
    const before = events[(crash?.seq ?? 0) - 2]
    expect(crashed[0]?.end).toBe(Date.parse(before?.timestamp ?? ''))
  })

  test('tells of a retry on the attempt that failed', () => {
    const failed = spans.filter(({ name }) => name === 'invoke_agent review')[0]
    expect(failed?.failure).toEqual({ type: 'rate-limit', message: 'slow down' })
    expect(failed?.events.map(({ name }) => name)).toEqual(['weave.retry'])
    expect(failed?.attributes).toMatchObject({
      'weave.loop.id': 'refine',
      'weave.loop.iteration': 0,
      'weave.codon.attempt': 1,
    })
  })

  verifies(
    ['otel/started-by'],
    'links a run to the one it continues and to the program that started it',
    () => {
      const remote = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) }
      const runs = folded(events, { startedBy: runId => (runId === 'run_b' ? remote : undefined) }).filter(
        ({ subject }) => subject === 'run',
      )
      expect(runs.map(({ links }) => links.map(({ attributes }) => attributes['weave.link']))).toEqual([
        [],
        ['continues', 'started-by'],
        ['continues'],
      ])
      expect(runs[1]?.links).toMatchObject([{ spanId: runs[0]?.spanId }, remote])
    },
  )

  verifies(['otel/names'], 'follows either vocabulary', () => {
    const attempt = (names: FoldOptions['names']) =>
      folded(events, { names }).find(({ subject }) => subject === 'attempt')
    const turn = (names: FoldOptions['names']) =>
      folded(events, { names }).find(({ subject }) => subject === 'chat')
    expect(turn('1.41')?.attributes).toMatchObject({
      'gen_ai.provider.name': 'anthropic',
      'gen_ai.request.model': 'sonnet-5',
      'gen_ai.response.model': 'sonnet-5-20260101',
      'gen_ai.usage.input_tokens': 1_100,
      'gen_ai.usage.cache_read.input_tokens': 1_000,
      'gen_ai.usage.cache_creation.input_tokens': 0,
    })
    expect(Object.keys(turn('latest')?.attributes ?? {})).toContain('gen_ai.usage.cache_write.input_tokens')
    expect(Object.keys(attempt('1.41')?.attributes ?? {})).toEqual(
      expect.arrayContaining([
        'gen_ai.provider.name',
        'gen_ai.agent.id',
        'gen_ai.usage.cache_read.input_tokens',
      ]),
    )
    expect(Object.keys(attempt('latest')?.attributes ?? {})).not.toEqual(
      expect.arrayContaining(['gen_ai.provider.name']),
    )
    const google = folded(events).find(({ name }) => name === 'chat gpt-5')
    expect(google?.attributes['gen_ai.provider.name']).toBe('gcp.gemini')
  })

  verifies(
    ['otel/content-none', 'otel/content-levels'],
    'says what was read and said only when asked to',
    () => {
      const text = (content: FoldOptions['content']): string => JSON.stringify(folded(events, { content }))
      for (const word of ['secret-plan.md', 'what was in it', 'all is well'])
        expect(text('none')).not.toContain(word)
      for (const word of ['secret-plan.md', 'what was in it']) expect(text('tools')).toContain(word)
      expect(text('tools')).not.toContain('all is well')
      expect(text('all')).toContain('all is well')
      const ids = (content: FoldOptions['content']) => folded(events, { content }).map(({ spanId }) => spanId)
      expect(ids('all')).toEqual(ids('none'))
    },
  )
})

describe('the fold of an unusual journal', () => {
  verifies(['otel/old-journals'], 'derives what older journals do not say', () => {
    const story = createStory()
    story.start('run_a')
    story.codon('draft')
    story.tell('rig.output', { codonId: 'draft', operation: 0, stream: 'stdout', text: 'ok' })
    story.running('draft')
    const running = Date.parse(story.time())
    story.wait(1_000)
    story.answer('draft', { input: 1, output: 1 })
    const action = {
      codonId: 'draft',
      action: 'tool_use',
      content: 'Read',
      toolName: 'Read',
      toolInput: { at: 1 },
    } as const
    story.tell('assistant.action', action)
    story.tell('tool.result', {
      codonId: 'draft',
      toolUseId: 'x',
      toolName: 'Read',
      result: 'r',
      truncated: false,
      originalLength: 1,
      executionTimeMs: 5,
      isError: false,
    })
    story.completed('draft')
    story.end('run_a')
    const spans = folded(story.events, { content: 'tools' })
    expect(spans.map(({ name }) => name)).toEqual([
      'weave.rig',
      'chat sonnet-5',
      'execute_tool Read',
      'invoke_agent draft',
      'invoke_workflow Story',
    ])
    expect(spans[1]?.start).toBe(running)
    expect(spans[1]?.attributes['gen_ai.provider.name']).toBe('unknown')
    expect(spans[2]?.attributes['gen_ai.tool.call.arguments']).toBe('{"at":1}')
  })

  test('counts a message once that is reported twice', () => {
    const story = createStory()
    story.start('run_a')
    story.codon('draft')
    story.running('draft')
    story.answer('draft', { input: 10, output: 5 })
    const again = { inputTokens: 10, outputTokens: 5, cacheCreationTokens: 0, cacheReadTokens: 0 }
    story.tell('token.usage', { codonId: 'draft', ...again, totalCost: 0 })
    story.completed('draft')
    story.end('run_a')
    const turns = folded(story.events).filter(({ subject }) => subject === 'chat')
    expect(turns.map(({ usage }) => usage?.inputTokens)).toEqual([10, 0])
  })

  test('never ends a span before it begins, and keeps tools with one id apart', () => {
    const story = createStory()
    story.start('run_a')
    story.codon('draft')
    story.running('draft')
    story.tool('draft', 'same')
    story.tool('draft', 'same')
    story.wait(-60_000)
    story.answer('draft', { input: 1 })
    story.completed('draft')
    story.end('run_a')
    const spans = folded(story.events)
    expect(spans.every(({ start, end }) => end >= start)).toBe(true)
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length)
  })

  verifies(['otel/limits'], 'cuts what is too long, and says so of content', () => {
    const story = createStory()
    story.start('run_a')
    story.codon('draft', { codonName: 'ä'.repeat(5_000) })
    story.running('draft')
    story.tool('draft', 't', { result: '€'.repeat(40_000) })
    const failureReason = { type: 'unknown', retriable: false, message: 'x'.repeat(999) } as const
    const exitStatus = { type: 'error', code: 1 } as const
    const data = { codonId: 'draft', to: 'failed', endTime: story.time(), exitStatus, failureReason } as const
    story.record({ type: 'CodonTransitioned', data })
    story.end('run_a')
    const spans = folded(story.events, { content: 'tools' })
    const tool = spans.find(({ subject }) => subject === 'tool')
    const attempt = spans.find(({ subject }) => subject === 'attempt')
    const bytes = (text: unknown): number => Buffer.byteLength(String(text))
    expect(bytes(tool?.attributes['gen_ai.tool.call.result'])).toBe(65_535)
    expect(tool?.attributes['weave.truncated']).toBe(true)
    expect(bytes(attempt?.attributes['gen_ai.agent.description'])).toBe(4_096)
    expect(attempt?.attributes['weave.truncated']).toBeUndefined()
    expect(attempt?.failure?.message).toHaveLength(256)
  })
})
