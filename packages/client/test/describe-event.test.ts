import { type EventType, eventTypes, type ServerEvent } from '@weave/protocol'
import { describe, expect, test } from 'vitest'
import { verifies } from '../../../test/conformance/verifies.ts'
import { describedTypes, describeEvent, describeRecorded } from '../src/describe-event.ts'
import { readyData, sampleEvent, timeAt, tokens, transitionData } from './event-samples.ts'

const codonId = 'draft'
const sentinel = { sentinelId: 'narrator', codonId }
const usage = { cost: 0.0123, tokens: { input: 1, output: 1 }, eventCount: 2 }
const failureReason = { type: 'rate-limit', retriable: true, message: 'slow down' } as const

/** One event of each type, and what is said about it. */
const cases: { readonly [T in EventType]: readonly [ServerEvent<T>['data'], string] } = {
  'server.idle': [{ reason: 'startup', message: 'waiting' }, 'idle: waiting'],
  'codon.started': [
    { codonId, codonName: 'Draft', sessionId: 's', startTime: timeAt(0) },
    'codon draft started: Draft',
  ],
  'codon.completed': [
    { codonId, success: false, cost: 0.0123, duration: 3200, exitStatus: { type: 'error', code: 1 } },
    'codon draft failed (exit code 1) in 3.2 s, $0.0123',
  ],
  'state.snapshot': [
    { completedCodons: [], fileTree: [], totalCost: 1, totalTime: 0, isRollingBack: false },
    'snapshot: 0 codons done, $1.00',
  ],
  'token.usage': [{ codonId, ...tokens, totalCost: 0.5 }, 'usage of draft: 110 in, 5 out; $0.5000 so far'],
  info: [{ message: 'two\nlines \x1b[0m' }, 'two lines \\u{1b}[0m'],
  error: [
    { message: 'no', fatal: false, severity: 'operation', code: 'UNKNOWN_RUN' },
    'operation UNKNOWN_RUN: no',
  ],
  'checkpoint.list': [{ runId: 'r', checkpoints: [], currentBranch: 'b' }, '0 checkpoints of run r'],
  'rollback.started': [
    {
      fromRun: 'r',
      fromCodon: 'final',
      toCodon: codonId,
      toCheckpoint: '0123456789abcdef',
      checkpointType: 'completed',
      codonsToProcess: [],
    },
    'rollback to draft (completed, 01234567)',
  ],
  'rollback.progress': [{ currentStep: 1, totalSteps: 3, message: 'restore' }, 'rollback 1/3: restore'],
  'rollback.codonCheckpoint': [
    { codonId, codonName: 'D', checkpoint: 'c', checkpointType: 'error', message: 'undone' },
    'rollback passed draft: undone',
  ],
  'rollback.rigCleanup': [
    { codonId, codonName: 'D', directories: ['a', 'b'], status: 'completed' },
    'rig cleanup of draft completed: a, b',
  ],
  'rollback.completed': [
    {
      fromRun: 'r',
      toRun: 's',
      checkpoint: '0123456789',
      codonId,
      codonName: 'D',
      checkpointType: 'completed',
      autoRestart: true,
    },
    'rolled back to draft (completed, 01234567), run s',
  ],
  'state.transition': [
    { ...transitionData({ type: 'CodonFinalCostSet', data: { codonId, cost: 1 } }), codonId },
    'CodonFinalCostSet of draft',
  ],
  'assistant.action': [
    { codonId, action: 'tool_use', content: '', toolName: 'bash', toolInput: { command: 'ls' } },
    'bash {"command":"ls"}',
  ],
  'tool.result': [
    {
      codonId,
      toolUseId: 't',
      toolName: 'bash',
      result: 'a b',
      truncated: false,
      originalLength: 3,
      executionTimeMs: 100,
      isError: false,
    },
    'bash answered in 0.1 s: a b',
  ],
  'file.updated': [{ path: 'a/b', filename: 'b', content: '', action: 'created' }, 'created a/b'],
  'filetree.updated': [{ tree: [] }, 'the file tree changed'],
  'sentinel.loaded': [
    {
      ...sentinel,
      model: 'haiku',
      triggerType: 'event',
      executionStrategy: 'count',
      conversational: false,
      source: 'file',
    },
    'sentinel narrator listens to draft (haiku)',
  ],
  'sentinel.unloaded': [
    { ...sentinel, reason: 'shutdown', finalCost: 0, llmCallCount: 4, healthCheckCount: 1 },
    'sentinel narrator left (shutdown) after 3 calls and a health check, $0.00',
  ],
  'sentinel.output': [
    { ...sentinel, ...usage, triggerNumber: 1, outputType: 'structured', content: { a: 1 } },
    'sentinel narrator: {"a":1}',
  ],
  'sentinel.error': [
    {
      ...sentinel,
      errorType: 'file-write-failed',
      message: 'm',
      retriable: false,
      consecutiveFailureCount: 1,
    },
    'sentinel narrator failed (file-write-failed): m',
  ],
  'sentinel.triggered': [
    { ...sentinel, triggerNumber: 1, strategy: 'immediate', eventCount: 3, queueSize: 0 },
    'sentinel narrator triggered by 3 events',
  ],
  'server.ready': [{ ...readyData, rehearsal: true }, 'server 0.10.0 at /executions/one (rehearsal)'],
  pong: [{ message: 'pong', timestamp: timeAt(0), clientId: 'c' }, 'pong from c'],
  'history.batch': [{ events: [], hasMore: false }, '0 events of the past'],
  'incomplete.codon': [{ codonId, codonName: 'D', message: 'cut off' }, 'codon draft had not ended: cut off'],
  'run.started': [
    {
      runId: 'r',
      startTime: timeAt(0),
      gitBranch: 'b',
      startedFrom: { type: 'fresh' },
      hankName: 'Hank',
      outline: [],
    },
    'run r of Hank started',
  ],
  'run.completed': [
    {
      runId: 'r',
      status: 'failed',
      reason: 'why',
      totalCost: 0,
      costUnknown: true,
      duration: 65_000,
      codons: [],
    },
    'run r failed (why) in 1m 05s, unknown',
  ],
  'rig.output': [{ codonId, operation: 0, stream: 'stdout', text: 'ok\n' }, 'rig of draft: ok'],
  'rig.operation': [
    { codonId, operation: 0, type: 'command', ok: false, durationMs: 1000, exitCode: 3 },
    'rig of draft: operation 1 (command) failed in 1.0 s',
  ],
  'loop.iteration.completed': [
    { loopId: 'l', iteration: 0, cost: 0, duration: 1000, last: true },
    'loop l: iteration 1 done in 1.0 s, $0.00, the last',
  ],
  'codon.extended': [{ codonId, extension: 1, maxExtensions: 5 }, 'codon draft goes on (1 of 5)'],
  'codon.retrying': [
    { codonId, attempt: 2, maxAttempts: 3, delayMs: 2000, resumeAt: timeAt(2), failureReason },
    'codon draft: attempt 2 of 3 in 2.0 s (slow down)',
  ],
  'run.parked': [
    { codonId, until: timeAt(0), reason: 'quota' },
    'codon draft waits until 2026-01-01T00:00:00.000Z: quota',
  ],
  'events.selected': [{ lastSeq: 12 }, 'events are selected after #12'],
  'run.activity': [
    { phase: 'checkpoint', codonId, text: 'checkpoint: storing files', done: 12_400, total: 50_001 },
    'draft: checkpoint: storing files, 12,400 of 50,001',
  ],
  'archive.completed': [{ ownerId: codonId, files: ['a'] }, '1 file of draft archived'],
  'outputs.copied': [
    { codonId, directory: '/out', files: ['a.md', 'b.md'] },
    'outputs of draft in /out: a.md, b.md',
  ],
  'budget.exceeded': [
    { currency: 'dollars', limit: 1, used: 1.5, scope: 'hank', onExceeded: 'fail' },
    'budget exceeded: the limit of the hank, $1.50 of $1.00',
  ],
  'preflight.result': [{ ok: true, problems: [] }, 'preflight passed'],
  'gate.armed': [
    {
      gateId: 'hold-1',
      before: 'publish',
      by: { via: 'rule', ruleId: 'loops' },
      message: 'It repeats itself.',
    },
    'hold hold-1 before publish: It repeats itself.',
  ],
  'gate.waiting': [
    { gateId: 'plan-ok', codonId: 'plan', next: 'implement', message: 'Read plan.md.', round: 1 },
    'waiting at gate plan-ok before implement: Read plan.md.',
  ],
  'gate.decided': [
    {
      waitingSeq: 7,
      gateId: 'plan-ok',
      decision: 'approved',
      by: { via: 'cli', user: 'ana' },
      note: 'fine',
      waitedMs: 2000,
    },
    'gate plan-ok approved by ana (cli) after 2.0 s: fine',
  ],
  'rule.fired': [
    { ruleId: 'loops', codonId, do: 'hold', hits: 5, evidence: [1, 2] },
    'rule loops fired in draft: hold after 5 hits',
  ],
  'fleet.turn': [
    { executionId: 'b.1', batchId: 'b', epoch: 2, worker: 'w', head: 3, lostDollars: 0.5 },
    'turn 2 on w, on from head 3; $0.5000 in doubt',
  ],
  'fleet.published': [{ seq: 4, bytes: 1_000, ms: 250 }, 'head 4 published: 1000 bytes in 0.3 s'],
  'fleet.waiting': [{ for: 'budget', until: timeAt(0) }, `waiting for budget until ${timeAt(0)}`],
  'fleet.rest': [{ left: [{ path: 'node_modules', bytes: 9 }] }, 'left behind: node_modules'],
  'fleet.lost': [{ why: 'taken over' }, 'lost to another worker: taken over'],
}

test.each(eventTypes)('%s has its sentence', type => {
  const [data, sentence] = cases[type]
  expect(describeEvent(sampleEvent(type, data as never))).toBe(sentence)
})

test('a line is as long as asked for and no longer', () => {
  const event = sampleEvent('info', { message: 'word '.repeat(1000) })
  expect(describeEvent(event, 20)).toBe('word word word word…')
  expect(describeEvent(event)).toHaveLength(200)
})

test('what something cost is left out when costs are not asked for', () => {
  const said = (event: ServerEvent): string => describeEvent(event, 200, { costs: false })
  const [done] = cases['codon.completed']
  expect(said(sampleEvent('codon.completed', done))).toBe('codon draft failed (exit code 1) in 3.2 s')
  const loop = { loopId: 'l', iteration: 0, cost: 1, duration: 1000, last: true }
  expect(said(sampleEvent('loop.iteration.completed', loop))).toBe(
    'loop l: iteration 1 done in 1.0 s, the last',
  )
  for (const type of ['run.completed', 'sentinel.unloaded'] as const) {
    const [data] = cases[type]
    expect(said(sampleEvent(type, data) as ServerEvent)).not.toContain('$')
  }
})

describe('a limit that was reached', () => {
  const breach = {
    currency: 'dollars',
    limit: 0.1,
    used: 0.10601,
    scope: 'hank',
    onExceeded: 'complete',
  } as const
  const said = (data: object): string =>
    describeEvent(sampleEvent('budget.exceeded', { ...breach, codonId: 'research', ...data }))

  verifies(['repair/breach-words'], 'says whose it is and how much was used of it', () => {
    expect([
      said({ share: 10 }),
      said({ share: 'rest' }),
      said({ scope: 'loop:refine' }),
      said({ scope: 'codon', currency: 'seconds', limit: 10, used: 12.549 }),
      said({ scope: '--max-cost', used: 0.1 }),
      said({ scope: 'codon', currency: 'output-tokens', limit: 1000, used: 1200 }),
    ]).toEqual([
      'budget exceeded in research: its 10 % share of the hank, $0.106 of $0.10',
      'budget exceeded in research: what the shares of others leave it of the hank, $0.106 of $0.10',
      'budget exceeded in research: the limit of the loop refine, $0.106 of $0.10',
      'budget exceeded in research: its own limit, 12.5 s of 10 s',
      'budget exceeded in research: the limit of --max-cost, $0.10 of $0.10',
      'budget exceeded in research: its own limit, 1,200 of 1,000 output tokens',
    ])
  })
})

describe('an event of a journal', () => {
  test('is described without being checked, and shown as it is when its sentence cannot be said', () => {
    for (const type of eventTypes) {
      const event = sampleEvent(type, cases[type][0])
      expect(describeRecorded(event)).toBe(describeEvent(event))
    }
    expect(describeRecorded({ type: 'codon.paused', data: { why: 'a\nb' } })).toBe('{"why":"a\\nb"}')
    expect(describeRecorded({ type: 'outputs.copied', data: { codonId } })).toBe('{"codonId":"draft"}')
    expect(describeRecorded({ type: 'toString' })).toBe('{}')
  })

  test('has one of the types that there are names of', () => {
    expect([...describedTypes].sort()).toEqual([...eventTypes].sort())
  })
})
