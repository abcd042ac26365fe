import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { events } from '@weave/protocol'
import { expect } from 'vitest'
import * as z from 'zod'
import { verifies } from '../../../../test/conformance/verifies.ts'
import type { SentinelEventType } from '../../src/sentinel/index.ts'
import { event } from './observed-events.ts'
import { attachment, type FakeModel, fails, fakeModel, type Scene, says, scene } from './scene.ts'

const types: readonly SentinelEventType[] = [
  'sentinel.loaded',
  'sentinel.unloaded',
  'sentinel.output',
  'sentinel.error',
  'sentinel.triggered',
]

/** Every value of every enumeration of an event, as the protocol has them: `sentinel.output outputType text`. */
function valuesOf(type: SentinelEventType): readonly string[] {
  return Object.entries(events[type].data.shape).flatMap(([field, schema]) => {
    const inner = schema instanceof z.ZodOptional ? schema.unwrap() : schema
    return inner instanceof z.ZodEnum ? inner.options.map(value => `${type} ${field} ${value}`) : []
  })
}

const failing = () => fakeModel((_, index) => (index === 0 ? says('ok') : fails('no')))
const refusing = () =>
  fakeModel((_, index) => (index === 0 ? says('ok') : fails('no', { status: 401, retriable: false })))

interface Story {
  readonly more?: Parameters<typeof attachment>[0]
  readonly rest?: Parameters<typeof attachment>[1]
  readonly model?: () => FakeModel
  readonly prepare?: (here: Scene) => Promise<void>
  readonly ends?: 'codon-complete' | 'shutdown'
}

const schema = { type: 'object', properties: { level: { type: 'number' } }, required: ['level'] }
const sequence = { type: 'sequence', interestFilter: { on: ['info'] }, pattern: [{ type: 'info' }] }
const conversational = { trimmingStrategy: { type: 'maxTurns', maxTurns: 2 } }

/** One life of a sentinel each; together they say everything that can be said. */
const stories: readonly Story[] = [
  { rest: { sourcePath: 'watch/narrator.json' } },
  { more: { trigger: sequence, execution: { strategy: 'count', threshold: 2 } } },
  { more: { execution: { strategy: 'debounce', milliseconds: 1_000 } } },
  { more: { execution: { strategy: 'timeWindow', milliseconds: 1_000 } }, ends: 'shutdown' },
  { more: { execution: { strategy: 'timeWindow', milliseconds: 1_000 } } },
  {
    more: { structuredOutput: { output: 'object', schema } },
    model: () => fakeModel(() => says('{"level":1}', { level: 1 })),
  },
  { model: failing },
  { model: refusing },
  { more: { userPromptText: '<%= its.events %>' } },
  { more: { userPromptText: '<%= "x".repeat(2e6) %>' } },
  {
    more: { conversational, systemPromptText: 'You watch.' },
    prepare: async ({ internals }) => {
      await mkdir(join(internals, 'narrator'), { recursive: true })
      await writeFile(join(internals, 'narrator', 'draft.conversation.json'), '{"turns":1}')
    },
  },
  {
    more: { output: { format: 'text', file: 'notes/log.md' } },
    prepare: async ({ agentRoot }) => {
      await mkdir(join(agentRoot, 'notes', 'log.md'), { recursive: true })
    },
  },
]

async function told({
  more,
  rest,
  model,
  prepare,
  ends = 'codon-complete',
}: Story): Promise<readonly string[]> {
  const here = await scene([attachment(more, rest)], model && { model: model() })
  await prepare?.(here)
  const attached = await here.load()
  for (let n = 0; n < 3; n++) attached.route(event('info', { message: `${n}` }))
  await attached.finish({ reason: ends })
  return here.told.flatMap(({ type, data }) => {
    expect(events[type].data.safeParse(data).success).toBe(true)
    return Object.entries(data).map(([field, value]) => `${type} ${field} ${String(value)}`)
  })
}

verifies(
  [
    '6/sentinel-loaded',
    '6/sentinel-unloaded',
    '6/sentinel-output',
    '6/sentinel-error',
    '6/sentinel-triggered',
  ],
  'every value that the five events of a sentinel can have is said at some time, and no other',
  async () => {
    const possible = types.flatMap(valuesOf)
    expect(possible).toHaveLength(25)
    const heard: string[] = []
    for (const story of stories) heard.push(...(await told(story)))
    const said = new Set(heard)
    expect(possible.filter(value => !said.has(value))).toEqual([])
  },
)
