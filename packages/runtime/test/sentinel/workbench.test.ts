import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { loadPatterns, type SentinelConfig } from '../../src/hank/index.ts'
import { createRedactor, systemClock } from '../../src/kit/index.ts'
import type { CodonRun, ObservedEvent } from '../../src/sentinel/events.ts'
import { codonRuns, openWorkbench, type Trial } from '../../src/sentinel/index.ts'
import { triggersOn, type WorkbenchOptions } from '../../src/sentinel/workbench.ts'
import { sandboxEntry } from './sandboxes.ts'
import { attachment, fakeModel, haiku, says } from './scene.ts'

const compile = await loadPatterns()
const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString()
const info = (second: number, message: string): ObservedEvent => ({
  type: 'info',
  timestamp: at(second),
  data: { message },
})

function started(codonId: string, second: number): ObservedEvent {
  const data = {
    codonId,
    codonName: codonId.toUpperCase(),
    attempt: 1,
    startTime: at(second),
    model: 'haiku',
  }
  return {
    type: 'state.transition',
    timestamp: at(second),
    data: { transitionType: 'CodonStarted', codonId, transition: { type: 'CodonStarted', data } },
  }
}

const completed = (codonId: string, second: number): ObservedEvent => ({
  type: 'codon.completed',
  timestamp: at(second),
  data: { codonId, success: true },
})

async function* recorded(events: readonly ObservedEvent[]): AsyncGenerator<ObservedEvent> {
  yield* events
}

async function all<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}

test('what was recorded is cut into the runs of codons, each with its own events', async () => {
  const events = [
    info(0, 'before'),
    started('a', 1),
    info(2, 'in a'),
    completed('a', 3),
    info(4, 'between'),
    started('b#0', 5),
    info(6, 'in b, which crashed'),
    started('b#0', 7),
    info(8, 'in b again'),
  ]
  const runs = await all(codonRuns(recorded(events)))
  expect(runs.map(({ codon, events: seen }) => [codon.id, codon.name, codon.startTime, seen.length])).toEqual(
    [
      ['a', 'A', at(1), 3],
      ['b#0', 'B#0', at(5), 2],
      ['b#0', 'B#0', at(7), 2],
    ],
  )
})

describe('the triggers on recorded events', () => {
  verifies(
    ['d14/sentinel-follow-ups-trigger-nothing'],
    'are none for what followed from a sentinel when it was recorded',
    () => {
      const events: readonly ObservedEvent[] = [
        info(0, 'of the codon'),
        { ...info(1, 'of a sentinel'), origin: 'sentinel' },
        { type: 'sentinel.output', timestamp: at(2), data: {} },
      ]
      const trigger = { type: 'event', on: ['*'] } as const
      const triggers = triggersOn(events, { trigger, execution: { strategy: 'immediate' } }, compile)
      expect(triggers.map(({ batch }) => batch.events)).toEqual([[events[0]]])
    },
  )

  test('follow the times of the events, and what is pending at the end is flushed', () => {
    const events = [0, 1, 2, 8, 9].map(second => info(second, `${second}`))
    const found = (execution: SentinelConfig['execution']) =>
      triggersOn(events, { trigger: { type: 'event', on: ['info'] }, execution }, compile).map(
        ({ at: time, batch }) => [time.getUTCSeconds(), batch.eventCount],
      )
    expect(found({ strategy: 'immediate' })).toEqual([0, 1, 2, 8, 9].map(second => [second, 1]))
    expect(found({ strategy: 'count', threshold: 2 })).toEqual([
      [1, 2],
      [8, 2],
      [9, 1],
    ])
    expect(found({ strategy: 'debounce', milliseconds: 3_000 })).toEqual([
      [5, 3],
      [9, 2],
    ])
    expect(found({ strategy: 'timeWindow', milliseconds: 1_500 })).toEqual([
      [1, 2],
      [3, 1],
      [9, 2],
    ])
  })

  test('lose no event, whatever the strategy', () => {
    const execution: fc.Arbitrary<SentinelConfig['execution']> = fc.oneof(
      fc.constant({ strategy: 'immediate' as const }),
      fc.record({ strategy: fc.constant('count' as const), threshold: fc.integer({ min: 1, max: 5 }) }),
      fc.record({
        strategy: fc.constantFrom('debounce' as const, 'timeWindow' as const),
        milliseconds: fc.integer({ min: 1, max: 9_000 }),
      }),
    )
    fc.assert(
      fc.property(
        execution,
        fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 20 }),
        (given, seconds) => {
          const events = seconds.map(second => info(second, ''))
          const config = { trigger: { type: 'event', on: ['*'] }, execution: given } as const
          const seen = triggersOn(events, config, compile).flatMap(({ batch }) => batch.events)
          expect(seen).toEqual(events)
        },
      ),
      { numRuns: 200 },
    )
  })
})

const run: CodonRun = {
  codon: { id: 'draft', name: 'Draft', startTime: at(0) },
  events: [info(1, 'one'), info(2, 'two')],
}

async function trials(
  more: Partial<WorkbenchOptions> & { readonly config?: object },
): Promise<readonly Trial[] | string> {
  const { config, ...rest } = more
  const bench = await openWorkbench({
    sentinel: attachment({
      userPromptText: 'Saw <%= it.events[0].data.message %> at <%= it.world.currentTime %>',
      ...config,
    }),
    hankDir: '.',
    agentRoot: '.',
    modelOf: () => haiku,
    accessTo: () => ({ ok: false, message: 'no key' }),
    clock: systemClock,
    redactor: createRedactor([]),
    sandboxEntry: await sandboxEntry(),
    signal: new AbortController().signal,
    ...rest,
  })
  if (!bench.ok) return bench.message
  onTestFinished(() => bench.close())
  return all(bench.tryOn(run))
}

describe('a sentinel on the workbench', () => {
  test('shows its prompts without asking anybody, and needs no key for that', async () => {
    expect(await trials({})).toMatchObject([
      { number: 1, userPrompt: `Saw one at ${at(1)}` },
      { number: 2, userPrompt: `Saw two at ${at(2)}` },
    ])
  })

  test('asks its model when it may, and tells what it cost', async () => {
    const model = fakeModel((_, index) => says(`answer ${index}`))
    const access = { ok: true, key: 'k', api: 'http://127.0.0.1:9' } as const
    expect(await trials({ call: model.call, accessTo: () => access })).toMatchObject([
      { said: { content: 'answer 0', cost: 0.00015 }, charge: { calls: 1 } },
      { said: { content: 'answer 1' } },
    ])
    expect(await trials({ call: model.call })).toBe('no key')
  })

  test('tells what is wrong with it', async () => {
    expect(await trials({ config: { userPromptText: '<%= it.no.where %>' } })).toMatchObject([
      { problem: "line 1: TypeError: cannot read property 'where' of undefined" },
      { problem: expect.stringContaining('TypeError') },
    ])
    expect(await trials({ config: { userPromptText: '<%= 1 + %>' } })).toContain(
      'its user prompt cannot be used',
    )
  })
})
