import { expect, test } from 'vitest'
import { verifies } from '../../../test/conformance/verifies.ts'
import { type EventType, events } from '../src/index.ts'
import { codonExecution } from '../src/state.ts'
import { type Fields, fieldsOf, shapeOf } from './shape.ts'

/** The fields of every event, copied from the tables of part 6 of the specification. */

const processExit =
  "{ type: 'success' } | { type: 'error', code: number } | { type: 'killed', signal: string }"
const failureTypes = "'timeout' | 'rate-limit' | 'api-error' | 'sentinel-load-failure' | 'unknown'"
const failureReason = `{ type: ${failureTypes}, retriable: boolean, message?: string, sentinelRefs?: string[] }`
const checkpointType = "'rig-setup' | 'completed' | 'error' | 'skipped'"
const codonStatus =
  "'preparing' | 'starting' | 'initializing' | 'running' | 'completing-sentinels' | 'completed' | 'failed' | 'skipped'"
const checkpointInfo = `{ codonId: string, codonName: string, checkpointType: ${checkpointType}, sha: string, status: ${codonStatus}, timestamp: time }`
const promptMetadata =
  '{ name?: string, description?: string, tags?: string[], version?: string, author?: string }'
const modelUsage =
  '{ inputTokens: number, outputTokens: number, cacheReadInputTokens?: number, cacheCreationInputTokens?: number, costUSD: number }'
const strategy = "'immediate' | 'debounce' | 'count' | 'timeWindow'"
const budgetCurrency = "'dollars' | 'seconds' | 'output-tokens' | 'context-tokens'"
const breach = `{ currency: ${budgetCurrency}, limit: number, used: number, scope: string }`
const outlineCodon = '{ id: string, name: string, model: string }'
const decidedBy =
  "{ via: 'socket' | 'cli' | 'terminal' | 'web' | 'timeout' | 'rollback' | 'rule', user?: string, clientId?: string, ruleId?: string }"
const startedFrom =
  "{ type: 'fresh' } | { type: 'continuation', runId: string, codonId?: string, checkpoint?: string }"

/** What weave adds to events of the specification (decisions 5, 9 and 13). A client may ignore all of it. */
const ourFields: Readonly<Partial<Record<EventType, Fields>>> = {
  'assistant.action': { 'toolUseId?': 'string' },
  'codon.completed': { 'costUnknown?': 'true' },
  'file.updated': { 'bytes?': 'number', 'sha256?': 'string', 'omitted?': "'binary' | 'large'" },
  'sentinel.unloaded': { 'healthCheckCount?': 'number' },
  'sentinel.output': { 'durationMs?': 'number' },
  'server.ready': {
    'agentRootPath?': 'string',
    'outputDirectory?': 'string',
    'lastSeq?': 'number',
    'rehearsal?': 'boolean',
  },
  'token.usage': { 'startedAt?': 'time' },
}

test('weave adds only optional fields to the events of the specification', () => {
  const names = Object.values(ourFields).flatMap(Object.keys)
  expect(names.filter(name => !name.endsWith('?'))).toEqual([])
})

verifies(
  [
    '6/server-idle',
    '6/server-idle-reason-enum',
    '6/codon-started',
    '6/codon-started-prompt-metadata',
    '6/codon-completed',
    '6/state-snapshot',
    '6/token-usage',
    '6/token-usage-model-usage',
    '6/info',
    '6/error',
    '6/error-severity-enum',
    '6/checkpoint-list',
  ],
  'server state events have exactly the fields of the specification',
  () => {
    expectFields({
      'server.idle': { reason: "'startup' | 'codon-completed' | 'all-codons-completed'", message: 'string' },
      'codon.started': {
        codonId: 'string',
        codonName: 'string',
        'codonDescription?': 'string',
        sessionId: 'string',
        'previousSessionId?': 'string',
        startTime: 'time',
        'promptMetadata?': promptMetadata,
      },
      'codon.completed': {
        codonId: 'string',
        success: 'boolean',
        cost: 'number',
        duration: 'number',
        exitStatus: processExit,
        'failureReason?': failureReason,
      },
      'state.snapshot': {
        'currentCodon?': shapeOf(codonExecution),
        completedCodons: `(${shapeOf(codonExecution)})[]`,
        fileTree: 'FileNode[]',
        totalCost: 'number',
        totalTime: 'number',
        isRollingBack: 'boolean',
      },
      'token.usage': {
        codonId: 'string',
        inputTokens: 'number',
        outputTokens: 'number',
        cacheCreationTokens: 'number',
        cacheReadTokens: 'number',
        totalCost: 'number',
        'modelId?': 'string',
        'modelUsage?': `map of string to ${modelUsage}`,
      },
      info: { message: 'string' },
      error: {
        message: 'string',
        'codon?': 'string',
        fatal: 'boolean',
        'severity?': "'fatal' | 'codon' | 'operation' | 'warning'",
        'context?': 'map',
        'code?': 'string',
      },
      'checkpoint.list': {
        runId: 'string',
        checkpoints: `(${checkpointInfo})[]`,
        currentBranch: 'string',
      },
    })
  },
)

verifies(
  [
    '6/rollback-started',
    '6/rollback-progress',
    '6/rollback-codon-checkpoint',
    '6/rollback-rig-cleanup',
    '6/rollback-rig-cleanup-status-enum',
    '6/rollback-rig-cleanup-failed-cleanups',
    '6/rollback-completed',
    '6/state-transition',
    '6/state-transition-transition',
    '6/state-transition-resulting-state',
    '6/state-transition-type-enum',
  ],
  'rollback events and state.transition have exactly the fields of the specification',
  () => {
    expectFields({
      'rollback.started': {
        fromRun: 'string',
        fromCodon: 'string',
        toCodon: 'string',
        toCheckpoint: 'string',
        checkpointType,
        codonsToProcess: 'string[]',
      },
      'rollback.progress': { currentStep: 'number', totalSteps: 'number', message: 'string' },
      'rollback.codonCheckpoint': {
        codonId: 'string',
        codonName: 'string',
        checkpoint: 'string',
        checkpointType,
        message: 'string',
      },
      'rollback.rigCleanup': {
        codonId: 'string',
        codonName: 'string',
        directories: 'string[]',
        status: "'started' | 'completed' | 'failed' | 'partial'",
        'successfulCleanups?': 'string[]',
        'failedCleanups?': '({ directory: string, error: string })[]',
      },
      'rollback.completed': {
        fromRun: 'string',
        toRun: 'string',
        checkpoint: 'string',
        codonId: 'string',
        codonName: 'string',
        checkpointType,
        autoRestart: 'boolean',
      },
      'state.transition': {
        transitionType:
          "'RunStarted' | 'RunCompleted' | 'RunFailed' | 'RunCrashed' | 'CodonStarted' | 'CodonTransitioned' | 'CostsUpdated' | 'CostsIncremented' | 'CodonFinalCostSet' | 'AssistantMessageCountUpdated' | 'CheckpointCreated' | 'InitialCheckpointSet' | 'SentinelStatesUpdated'",
        'runId?': 'string',
        'codonId?': 'string',
        transition: '{ type: string, data: map }',
        resultingState:
          '{ currentRunId: string | null, runCount: number, totalCost: number, currentRunCost: number }',
      },
    })
  },
)

verifies(
  [
    '6/assistant-action',
    '6/assistant-action-enum',
    '6/tool-result',
    '6/file-updated',
    '6/file-updated-action-enum',
    '6/filetree-updated',
  ],
  'agentic events have exactly the fields of the specification',
  () => {
    expectFields({
      'assistant.action': {
        codonId: 'string',
        action: "'thinking' | 'message' | 'tool_use'",
        content: 'string',
        'toolName?': 'string',
        'toolInput?': 'map',
      },
      'tool.result': {
        codonId: 'string',
        toolUseId: 'string',
        toolName: 'string',
        result: 'string',
        truncated: 'boolean',
        originalLength: 'number',
        executionTimeMs: 'number',
        isError: 'boolean',
      },
      'file.updated': {
        path: 'string',
        filename: 'string',
        content: 'string',
        action: "'created' | 'modified' | 'deleted'",
      },
      'filetree.updated': { tree: 'FileNode[]' },
    })
  },
)

verifies(
  [
    '6/sentinel-loaded',
    '6/sentinel-loaded-trigger-type-enum',
    '6/sentinel-loaded-execution-strategy-enum',
    '6/sentinel-loaded-source-enum',
    '6/sentinel-unloaded',
    '6/sentinel-unloaded-reason-enum',
    '6/sentinel-unloaded-error-type-enum',
    '6/sentinel-output',
    '6/sentinel-output-type-enum',
    '6/sentinel-output-content',
    '6/sentinel-output-tokens',
    '6/sentinel-error',
    '6/sentinel-error-type-enum',
    '6/sentinel-triggered',
    '6/sentinel-triggered-strategy-enum',
  ],
  'sentinel events have exactly the fields of the specification',
  () => {
    const sentinel = { sentinelId: 'string', codonId: 'string' }
    expectFields({
      'sentinel.loaded': {
        ...sentinel,
        model: 'string',
        triggerType: "'event' | 'sequence'",
        executionStrategy: strategy,
        conversational: 'boolean',
        source: "'file' | 'inline'",
        'sourcePath?': 'string',
      },
      'sentinel.unloaded': {
        ...sentinel,
        reason: "'codon-complete' | 'fatal-error' | 'consecutive-failures' | 'shutdown'",
        'errorType?': "'template' | 'configuration' | 'corruption' | 'resource'",
        finalCost: 'number',
        llmCallCount: 'number',
      },
      'sentinel.output': {
        ...sentinel,
        triggerNumber: 'number',
        outputType: "'text' | 'structured'",
        content: 'string | map',
        cost: 'number',
        tokens: '{ input: number, output: number }',
        eventCount: 'number',
      },
      'sentinel.error': {
        ...sentinel,
        errorType: "'llm-call-failed' | 'template-render-failed' | 'file-write-failed'",
        message: 'string',
        retriable: 'boolean',
        consecutiveFailureCount: 'number',
      },
      'sentinel.triggered': {
        ...sentinel,
        triggerNumber: 'number',
        strategy,
        eventCount: 'number',
        queueSize: 'number',
      },
    })
  },
)

verifies(
  ['6/server-ready', '6/pong', '6/incomplete-codon'],
  'connection events have exactly the fields of the specification',
  () => {
    expectFields({
      'server.ready': {
        serverVersion: 'string',
        executionPath: 'string',
        dataPath: 'string',
        'proxyPort?': 'number',
      },
      pong: { message: "'pong'", timestamp: 'string', 'clientId?': 'string' },
      'history.batch': { events: 'map[]', hasMore: 'boolean' },
      'incomplete.codon': { codonId: 'string', codonName: 'string', message: 'string' },
    })
    expect(events['incomplete.codon'].summary).toMatch(/^Deprecated/)
  },
)

test('extension events have exactly these fields', () => {
  expectFields({
    'run.started': {
      runId: 'string',
      startTime: 'time',
      gitBranch: 'string',
      startedFrom,
      hankName: 'string',
      outline: `(${outlineCodon} | { id: string, name: string, limit: number | null, codons: (${outlineCodon})[] })[]`,
      'rehearsal?': 'boolean',
    },
    'run.completed': {
      runId: 'string',
      status: "'completed' | 'failed' | 'stopped'",
      'reason?': 'string',
      totalCost: 'number',
      'costUnknown?': 'true',
      duration: 'number',
      codons: `({ codonId: string, codonName: string, status: string, attempts: number, cost: number, duration: number, budget?: ({ currency: string, limit: number, used: number, source: string })[], budgetExceeded?: ${breach} })[]`,
    },
    'rig.output': {
      codonId: 'string',
      operation: 'number',
      stream: "'stdout' | 'stderr'",
      text: 'string',
      'check?': 'true',
    },
    'rig.operation': {
      codonId: 'string',
      operation: 'number',
      type: "'copy' | 'command'",
      ok: 'boolean',
      durationMs: 'number',
      'exitCode?': 'number',
    },
    'loop.iteration.completed': {
      loopId: 'string',
      iteration: 'number',
      cost: 'number',
      duration: 'number',
      last: 'boolean',
    },
    'codon.extended': { codonId: 'string', extension: 'number', maxExtensions: 'number' },
    'codon.retrying': {
      codonId: 'string',
      attempt: 'number',
      maxAttempts: 'number',
      delayMs: 'number',
      resumeAt: 'time',
      failureReason,
    },
    'run.parked': { codonId: 'string', until: 'time', reason: 'string' },
    'events.selected': { lastSeq: 'number' },
    'run.activity': {
      phase: "'rig' | 'outputs' | 'checkpoint' | 'restore' | 'pack'",
      'codonId?': 'string',
      text: 'string',
      'done?': 'number',
      'total?': 'number',
      'over?': 'true',
    },
    'archive.completed': { ownerId: 'string', files: 'string[]' },
    'outputs.copied': { codonId: 'string', directory: 'string', files: 'string[]' },
    'budget.exceeded': {
      currency: budgetCurrency,
      limit: 'number',
      used: 'number',
      scope: 'string',
      'codonId?': 'string',
      'share?': "number | 'rest'",
      onExceeded: "'complete' | 'fail'",
    },
    'preflight.result': {
      ok: 'boolean',
      problems: "({ severity: 'error' | 'warning', where: string, message: string })[]",
      'plan?': 'map',
    },
    'gate.armed': {
      gateId: 'string',
      'before?': 'string',
      'after?': 'string',
      by: decidedBy,
      'message?': 'string',
    },
    'gate.waiting': {
      gateId: 'string',
      'codonId?': 'string',
      'next?': 'string',
      'message?': 'string',
      'files?': "({ path: string, action: 'created' | 'modified' | 'deleted' })[]",
      'checkpoint?': 'string',
      'deadline?': 'time',
      round: 'number',
      'runId?': 'string',
      'attempt?': 'number',
    },
    'gate.decided': {
      waitingSeq: 'number',
      gateId: 'string',
      decision: "'approved' | 'rejected' | 'expired' | 'withdrawn' | 'bypassed'",
      by: decidedBy,
      'note?': 'string',
      waitedMs: 'number',
      'checkpoint?': 'string',
    },
    'rule.fired': {
      ruleId: 'string',
      codonId: 'string',
      do: "'notify' | 'hold' | 'stop'",
      hits: 'number',
      evidence: 'number[]',
      'late?': 'true',
    },
    'fleet.turn': {
      executionId: 'string',
      batchId: 'string',
      epoch: 'number',
      worker: 'string',
      head: 'number',
      'lostDollars?': 'number',
    },
    'fleet.published': { seq: 'number', bytes: 'number', ms: 'number' },
    'fleet.waiting': { for: "'budget' | 'provider' | 'person' | 'store' | 'engine'", 'until?': 'time' },
    'fleet.rest': { left: '({ path: string, bytes: number })[]' },
    'fleet.lost': { why: 'string' },
  })
})

function expectFields(pins: Readonly<Partial<Record<EventType, Fields>>>): void {
  for (const [type, pinned] of Object.entries(pins) as [EventType, Fields][]) {
    expect(fieldsOf(events[type].data), type).toEqual({ ...pinned, ...ourFields[type] })
  }
}
