import { mkdir } from 'node:fs/promises'
import { emptyState, type Transition } from '@weave/protocol'
import { openJournal } from '../../packages/runtime/src/journal/index.ts'
import { createRedactor } from '../../packages/runtime/src/kit/index.ts'
import { createRecorder } from '../../packages/runtime/src/runner/index.ts'
import { executionLayout } from '../../packages/runtime/src/workspace/index.ts'
import { codon, loop, plan } from '../../packages/runtime/test/budget/budget-plans.ts'
import { createTestClock } from '../support/test-clock.ts'

/** Text that would do harm if anything took it for markup, for a script or for an order to a terminal. */
export const hostile = [
  '</script><script>globalThis.harm = 1</script>',
  '<img src=x onerror="globalThis.harm = 1">',
  '<!--<script>',
  ']]>\u2028\u2029\u0000\u001b[2J',
  '\u202egnp.exe\u202c and \u200b nothing',
  'javascript:globalThis.harm=1',
] as const

type Recorded = Awaited<ReturnType<typeof openStory>>

async function openStory(dir: string) {
  const { journal: folder } = executionLayout(dir)
  await mkdir(folder, { recursive: true })
  const clock = createTestClock('2026-03-02T09:30:00.000Z')
  const redactor = createRedactor([])
  const journal = await openJournal({ dir: folder, clock, redactor })
  const { record } = createRecorder(journal, redactor, emptyState)
  const time = () => clock.now().toISOString()
  const move = (to: Transition): void => void record(to)
  return { clock, journal, move, time }
}

/**
 * Writes an execution with two runs into a directory: a retry, a loop, a sentinel, a rollback, a failure at the end, hostile
 * names and texts, and so many events of agents. No files: it has no checkpoints.
 */
export async function writeLongExecution(
  dir: string,
  { events }: { readonly events: number },
): Promise<void> {
  const story = await openStory(dir)
  const { journal, move, time, clock } = story
  const items = [
    codon('draft'),
    loop('improve', 3, { codons: [codon('revise')] }),
    codon(`bad ${hostile[0]}`),
  ]
  const whole = plan(items, {
    budget: { maxDollars: 4 },
    ceilings: { maxTimeSeconds: { value: 7200, origin: '--max-time' } },
  })
  journal.append('preflight.result', {
    ok: true,
    problems: [],
    plan: { ...whole, hankName: `Long ${hostile[1]}` },
  })
  move({
    type: 'RunStarted',
    data: { runId: 'r1', startTime: time(), gitBranch: 'run-r1', startedFrom: { type: 'fresh' } },
  })
  const share = Math.ceil(events / 6)
  attempt(story, { codonId: 'draft', attempt: 1, events: share, fails: 'The provider is overloaded' })
  journal.append('codon.retrying', {
    codonId: 'draft',
    attempt: 2,
    maxAttempts: 3,
    delayMs: 1000,
    resumeAt: time(),
    failureReason: { type: 'api-error', retriable: true, message: 'The provider is overloaded' },
  })
  clock.jumpWall(30_000)
  attempt(story, { codonId: 'draft', attempt: 2, events: share })
  for (const iteration of [0, 1])
    attempt(story, { codonId: `revise#${iteration}`, attempt: 1, events: share, iteration })
  move({
    type: 'RunCompleted',
    data: { runId: 'r1', endTime: time(), outcome: 'stopped', reason: 'A rollback was asked for.' },
  })
  clock.jumpWall(3_600_000)
  const startedFrom = { type: 'continuation', runId: 'r1', codonId: 'revise#0' } as const
  move({ type: 'RunStarted', data: { runId: 'r2', startTime: time(), gitBranch: 'run-r2', startedFrom } })
  journal.append('rollback.completed', {
    fromRun: 'r1',
    toRun: 'r2',
    checkpoint: 'a'.repeat(40),
    codonId: 'revise#0',
    codonName: 'Revise',
    checkpointType: 'completed',
    autoRestart: true,
  })
  attempt(story, { codonId: 'revise#1', attempt: 1, events: share, iteration: 1 })
  attempt(story, { codonId: `bad ${hostile[0]}`, attempt: 1, events: share, fails: hostile[1] })
  move({ type: 'RunFailed', data: { runId: 'r2', endTime: time(), reason: `codon failed: ${hostile[1]}` } })
  await journal.close()
}

interface Attempt {
  readonly codonId: string
  readonly attempt: number
  readonly events: number
  readonly iteration?: number
  readonly fails?: string
}

function attempt({ journal, move, time, clock }: Recorded, wanted: Attempt): void {
  const { codonId, iteration } = wanted
  const loopContext = { loopId: 'improve', iteration: iteration ?? 0, codonIndexInLoop: 0 }
  move({
    type: 'CodonStarted',
    data: {
      codonId,
      codonName: `Codon ${codonId}`,
      attempt: wanted.attempt,
      startTime: time(),
      model: 'known',
      ...(iteration !== undefined && { loopContext }),
    },
  })
  journal.append('sentinel.output', {
    sentinelId: 'narrator',
    codonId,
    triggerNumber: 1,
    outputType: 'text',
    content: `It began. ${hostile[4]}`,
    cost: 0.01,
    tokens: { input: 10, output: 5 },
    eventCount: 3,
  })
  for (let at = 0; at < wanted.events; at++) {
    clock.jumpWall(40)
    journal.append('assistant.action', {
      codonId,
      action: at % 3 === 0 ? 'thinking' : 'message',
      content: `Action ${at} of ${codonId}: ${hostile[at % hostile.length]} and a few more words to make it a line of usual length.`,
    })
    if (at % Math.ceil(wanted.events / 20) !== 0) continue
    const tokens = {
      inputTokens: at * 9,
      outputTokens: at * 2,
      cacheCreationTokens: at,
      cacheReadTokens: at * 40,
    }
    move({ type: 'CostsUpdated', data: { codonId, cost: at * 0.00002, tokens } })
  }
  end({ journal, move, time }, wanted)
}

function end(
  { journal, move, time }: Pick<Recorded, 'journal' | 'move' | 'time'>,
  { codonId, fails }: Attempt,
): void {
  const failureReason = { type: 'api-error', retriable: true, message: fails ?? '' } as const
  const failed = {
    codonId,
    to: 'failed',
    endTime: time(),
    exitStatus: { type: 'error', code: 1 },
    failureReason,
  } as const
  const well = { codonId, endTime: time(), exitStatus: { type: 'success' } } as const
  if (fails === undefined) {
    for (const data of [
      { codonId, to: 'starting' },
      { codonId, to: 'initializing' },
      { codonId, to: 'running', sessionId: 's' },
      { codonId, to: 'completing-sentinels' },
      { ...well, to: 'completed' },
    ] as const)
      move({ type: 'CodonTransitioned', data })
  } else move({ type: 'CodonTransitioned', data: failed })
  journal.append('codon.completed', {
    codonId,
    success: fails === undefined,
    cost: 0.1,
    duration: 1000,
    exitStatus: fails === undefined ? { type: 'success' } : { type: 'error', code: 1 },
    ...(fails !== undefined && { failureReason }),
  })
}
