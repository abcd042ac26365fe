import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventTypes, events as table } from '@weave/protocol'
import { describe, expect } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { isProof, tally } from '../../../../test/support/proof.ts'
import type { AttachedSentinel } from '../../src/hank/index.ts'
import type { HarnessEvent } from '../../src/harness/index.ts'
import type { RecordedEvent } from '../../src/journal/index.ts'
import { codonPlan, planOf } from '../runner/plans.ts'
import { attachment } from '../sentinel/scene.ts'
import { type ObservedRun, observe } from './observed-run.ts'

const strategies = [
  { strategy: 'immediate' },
  { strategy: 'debounce', milliseconds: 300 },
  { strategy: 'count', threshold: 2 },
  { strategy: 'timeWindow', milliseconds: 700 },
] as const

/** Everything that a sentinel can listen to. */
const heard = ['*', ...eventTypes.filter(type => table[type].delivery !== 'direct')]

function idOf(...words: readonly string[]): string {
  return words.join('-').toLowerCase().replace('*', 'all').replaceAll('.', '-')
}

/** Those that the work of a sentinel can cause, and one that it cannot. */
const sample: ReadonlySet<string> = new Set([
  '*',
  'state.transition',
  'state.snapshot',
  'file.updated',
  'filetree.updated',
  'tool.result',
])

/** Listens for one type in both ways; what it says goes into the workspace, which is watched. */
function listenersTo(
  type: string,
  executions: readonly (typeof strategies)[number][] = strategies,
): readonly AttachedSentinel[] {
  const triggers = {
    event: { type: 'event', on: [type] },
    row: { type: 'sequence', interestFilter: { on: [type] }, pattern: [{ type }] },
  }
  return Object.entries(triggers).flatMap(([kind, trigger]) =>
    executions.map(execution => {
      const id = idOf(type, kind, execution.strategy)
      const output = { format: 'text', file: `seen/${id}.md`, lastValueFile: `seen/${id}.last.md` }
      return attachment({ id, trigger, execution, output, conversational: undefined })
    }),
  )
}

const tokens = { inputTokens: 10, outputTokens: 1, cacheCreationTokens: 0, cacheReadTokens: 0 }

/** As many kinds of events as an agent can cause, then nothing. */
function* busyWork(workspace: string): Iterable<HarnessEvent> {
  yield { type: 'thinking', text: 'hm' }
  yield { type: 'tool-call', id: 't1', name: 'Write', input: {} }
  mkdirSync(join(workspace, 'notes'), { recursive: true })
  writeFileSync(join(workspace, 'notes/a.md'), 'a')
  yield { type: 'tool-result', id: 't1', name: 'Write', output: 'ok', isError: false, durationMs: 1 }
  yield { type: 'usage', messageId: 'm1', tokens, dollars: 0.01 }
  yield { type: 'compacted' }
  yield { type: 'waiting', delayMs: 61_000, reason: 'the provider said so' }
  yield { type: 'text', text: 'done' }
}

const observedPlan =
  (sentinels: readonly AttachedSentinel[], archiveOnSuccess: readonly string[] = []) =>
  (hankDir: string) => ({
    ...planOf(codonPlan('draft', { idleTimeoutMs: 86_400_000, checkpointedFiles: ['**'], archiveOnSuccess })),
    hankDir,
    sentinels,
  })

async function runWith(sentinels: readonly AttachedSentinel[], mostCalls: number): Promise<ObservedRun> {
  const run = await observe({ plan: observedPlan(sentinels, ['notes/*']), work: busyWork, mostCalls })
  // Snapshots are told every 30 s, when something is new.
  for (let tick = 0; tick < 4; tick++) expect(await run.pass(30_000), 'it comes to rest').toBe(true)
  return run
}

function countsOf(events: readonly RecordedEvent[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>([['*', events.length]])
  for (const { type } of events) counts.set(type, (counts.get(type) ?? 0) + 1)
  return counts
}

describe('sentinels of a codon whose agent is quiet', () => {
  verifies(
    ['d14/sentinel-follow-ups-trigger-nothing', 'd10/sentinel-events-ignored'],
    'come to rest, whatever they listen to and however they batch: no more calls than there are events of others',
    async () => {
      const alone = await runWith([], 0)
      await alone.end()
      const most = countsOf(alone.events)
      const silent = heard.filter(type => !most.has(type))
      expect(heard.length - silent.length).toBeGreaterThan(10)
      // Nobody but a sentinel could cause these here: each alone is the whole proof, all at once the sample.
      const silentRuns = isProof ? silent.map(type => [type]) : [silent]
      const told = heard.filter(type => most.has(type) && (isProof || sample.has(type)))
      for (const types of [...silentRuns, ...told.map(type => [type])]) {
        const executions = types.length > 1 ? strategies.slice(0, 1) : strategies
        const listeners = types.flatMap(type => listenersTo(type, executions))
        const bound = most.get(types[0] ?? '') ?? 0
        const run = await runWith(listeners, (bound + 1) * listeners.length)
        const before = run.events.length
        expect(await run.pass(isProof ? 600_000 : 120_000), types.join()).toBe(true)
        expect(run.events.slice(before), `${types.join()}: nothing more happens`).toEqual([])
        await run.end()
        for (const { config } of listeners) expect(run.calls(config.id), config.id).toBeLessThanOrEqual(bound)
        tally('sentinels that came to rest', listeners.length)
      }
    },
    isProof ? 1_200_000 : 300_000,
  )

  const immediate = { strategy: 'immediate' } as const
  const listener = (...on: readonly string[]) =>
    attachment({ id: 'listener', trigger: { type: 'event', on }, execution: immediate })
  const talker = attachment({
    id: 'talker',
    trigger: { type: 'event', on: ['assistant.action'] },
    execution: immediate,
  })

  verifies(
    ['d14/sentinel-follow-ups-trigger-nothing'],
    'are not woken by what is warned of because of one of them',
    async () => {
      const work = () => Array.from({ length: 350 }, (): HarnessEvent => ({ type: 'text', text: 'word' }))
      const plan = observedPlan([talker, listener('error')])
      const run = await observe({ plan, work, mostCalls: 360 })
      expect(await run.pass(0)).toBe(true)
      const warnings = run.events.flatMap(event => (event.type === 'error' ? [event.data.message] : []))
      expect(warnings).toEqual([expect.stringContaining('the oldest are dropped')])
      await run.end()
      expect([run.calls('talker') >= 100, run.calls('listener')]).toEqual([true, 0])
    },
    120_000,
  )

  verifies(
    ['d14/sentinel-follow-ups-trigger-nothing'],
    'are not woken by a budget that one of them used up',
    async () => {
      const work = (): readonly HarnessEvent[] => [
        { type: 'text', text: 'one' },
        { type: 'text', text: 'two' },
      ]
      const plan = observedPlan([talker, listener('budget.exceeded', 'info')])
      const limited = (hankDir: string) => ({ ...plan(hankDir), budget: { maxDollars: 0.0002 } })
      const run = await observe({ plan: limited, work, mostCalls: 10 })
      await run.end()
      expect(run.events.filter(({ type }) => type === 'budget.exceeded')).toHaveLength(1)
      expect([run.calls('talker') > 0, run.calls('listener')]).toEqual([true, 0])
    },
    120_000,
  )
})
