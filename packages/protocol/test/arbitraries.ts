import fc from 'fast-check'
import {
  type EventData,
  type EventType,
  eventTypes,
  type ServerEvent,
  type TransitionType,
} from '../src/index.ts'
import { transitionData } from './transition-arbitraries.ts'
import {
  atLeastOne,
  budgetBreach,
  checkpointInfo,
  checkpointType,
  codonExecution,
  costUnknown,
  count,
  dollars,
  failureReason,
  fields,
  fileTree,
  isoTime,
  key,
  map,
  milliseconds,
  modelUsage,
  processExit,
  promptMetadata,
  sentinelStrategy,
  sentinelTokens,
  sentinelUnloadReason,
  sha,
  startedFrom,
  text,
  texts,
  word,
} from './value-arbitraries.ts'

const yesOrNo = fc.boolean()
const codonId = text
const sentinel = { sentinelId: text, codonId }
const outlineCodon = fields({ id: text, name: text, model: text })
const decidedBy = fields(
  { via: word('socket', 'cli', 'terminal', 'web', 'timeout', 'rollback', 'rule') },
  { user: text, clientId: text, ruleId: text },
)
const transition = fc
  .constantFrom(...(Object.keys(transitionData) as TransitionType[]))
  .chain(type => fields({ type: fc.constant(type), data: transitionData[type] }))
  .map(({ type, data }) => ({ type, data: { ...data } }))

/** One arbitrary for the data of each event, written by hand against the specification, not derived from the schemas. */
export const eventData: { readonly [T in EventType]: fc.Arbitrary<EventData<T>> } = {
  'server.idle': fields({
    reason: word('startup', 'codon-completed', 'all-codons-completed'),
    message: text,
  }),
  'codon.started': fields(
    { codonId, codonName: text, sessionId: text, startTime: isoTime },
    { codonDescription: text, previousSessionId: text, promptMetadata },
  ),
  'codon.completed': fields(
    { codonId, success: yesOrNo, cost: dollars, duration: milliseconds, exitStatus: processExit },
    { failureReason, ...costUnknown },
  ),
  'state.snapshot': fields(
    {
      completedCodons: fc.array(codonExecution, { maxLength: 3 }),
      fileTree,
      totalCost: dollars,
      totalTime: milliseconds,
      isRollingBack: yesOrNo,
    },
    { currentCodon: codonExecution },
  ),
  'token.usage': fields(
    {
      codonId,
      inputTokens: count,
      outputTokens: count,
      cacheCreationTokens: count,
      cacheReadTokens: count,
      totalCost: dollars,
    },
    { modelId: text, modelUsage: fc.dictionary(key, modelUsage, { maxKeys: 3, noNullPrototype: true }) },
  ),
  info: fields({ message: text }),
  error: fields(
    { message: text, fatal: yesOrNo },
    {
      codon: text,
      severity: word('fatal', 'codon', 'operation', 'warning'),
      context: map,
      code: word('HANDSHAKE_REQUIRED', 'SOME_NEWER_CODE'),
    },
  ),
  'checkpoint.list': fields({
    runId: text,
    checkpoints: fc.array(checkpointInfo, { maxLength: 3 }),
    currentBranch: text,
  }),

  'rollback.started': fields({
    fromRun: text,
    fromCodon: text,
    toCodon: text,
    toCheckpoint: sha,
    checkpointType,
    codonsToProcess: texts,
  }),
  'rollback.progress': fields({ currentStep: count, totalSteps: count, message: text }),
  'rollback.codonCheckpoint': fields({
    codonId,
    codonName: text,
    checkpoint: sha,
    checkpointType,
    message: text,
  }),
  'rollback.rigCleanup': fields(
    {
      codonId,
      codonName: text,
      directories: texts,
      status: word('started', 'completed', 'failed', 'partial'),
    },
    {
      successfulCleanups: texts,
      failedCleanups: fc.array(fields({ directory: text, error: text }), { maxLength: 2 }),
    },
  ),
  'rollback.completed': fields({
    fromRun: text,
    toRun: text,
    checkpoint: sha,
    codonId,
    codonName: text,
    checkpointType,
    autoRestart: yesOrNo,
  }),
  'state.transition': fc
    .tuple(
      transition,
      fields({
        currentRunId: fc.option(text),
        runCount: count,
        totalCost: dollars,
        currentRunCost: dollars,
      }),
      fields({}, { runId: text, codonId }),
    )
    .map(([change, resultingState, ids]) => ({
      transitionType: change.type,
      ...ids,
      transition: change,
      resultingState,
    })),

  'assistant.action': fields(
    { codonId, action: word('thinking', 'message', 'tool_use'), content: text },
    { toolName: text, toolInput: map },
  ),
  'tool.result': fields({
    codonId,
    toolUseId: text,
    toolName: text,
    result: text,
    truncated: yesOrNo,
    originalLength: count,
    executionTimeMs: milliseconds,
    isError: yesOrNo,
  }),
  'file.updated': fields(
    { path: text, filename: text, content: text, action: word('created', 'modified', 'deleted') },
    { bytes: count, sha256: sha, omitted: word('binary', 'large') },
  ),
  'filetree.updated': fields({ tree: fileTree }),

  'sentinel.loaded': fields(
    {
      ...sentinel,
      model: text,
      triggerType: word('event', 'sequence'),
      executionStrategy: sentinelStrategy,
      conversational: yesOrNo,
      source: word('file', 'inline'),
    },
    { sourcePath: text },
  ),
  'sentinel.unloaded': fields(
    { ...sentinel, reason: sentinelUnloadReason, finalCost: dollars, llmCallCount: count },
    { errorType: word('template', 'configuration', 'corruption', 'resource'), healthCheckCount: count },
  ),
  'sentinel.output': fields({
    ...sentinel,
    triggerNumber: count,
    outputType: word('text', 'structured'),
    content: fc.oneof(text, map),
    cost: dollars,
    tokens: sentinelTokens,
    eventCount: count,
  }),
  'sentinel.error': fields({
    ...sentinel,
    errorType: word('llm-call-failed', 'template-render-failed', 'file-write-failed'),
    message: text,
    retriable: yesOrNo,
    consecutiveFailureCount: count,
  }),
  'sentinel.triggered': fields({
    ...sentinel,
    triggerNumber: count,
    strategy: sentinelStrategy,
    eventCount: count,
    queueSize: count,
  }),

  'server.ready': fields(
    { serverVersion: text, executionPath: text, dataPath: text },
    {
      proxyPort: fc.integer({ min: 1, max: 65_535 }),
      agentRootPath: text,
      outputDirectory: text,
      lastSeq: count,
      rehearsal: yesOrNo,
    },
  ),
  pong: fields({ message: word('pong'), timestamp: isoTime }, { clientId: text }),
  'history.batch': fields({ events: fc.array(map, { maxLength: 3 }), hasMore: yesOrNo }),
  'incomplete.codon': fields({ codonId, codonName: text, message: text }),

  'run.started': fields(
    {
      runId: text,
      startTime: isoTime,
      gitBranch: text,
      startedFrom,
      hankName: text,
      outline: fc.array(
        fc.oneof(
          outlineCodon,
          fields({
            id: text,
            name: text,
            limit: fc.option(atLeastOne),
            codons: fc.array(outlineCodon, { maxLength: 2 }),
          }),
        ),
        { maxLength: 3 },
      ),
    },
    { rehearsal: yesOrNo },
  ),
  'run.completed': fields(
    {
      runId: text,
      status: word('completed', 'failed', 'stopped'),
      totalCost: dollars,
      duration: milliseconds,
      codons: fc.array(
        fields(
          {
            codonId,
            codonName: text,
            status: text,
            attempts: atLeastOne,
            cost: dollars,
            duration: milliseconds,
          },
          {
            budget: fc.array(fields({ currency: text, limit: dollars, used: dollars, source: text }), {
              maxLength: 2,
            }),
            budgetExceeded: budgetBreach,
          },
        ),
        { maxLength: 3 },
      ),
    },
    { reason: text, ...costUnknown },
  ),
  'rig.output': fields({ codonId, operation: count, stream: word('stdout', 'stderr'), text }),
  'rig.operation': fields(
    { codonId, operation: count, type: word('copy', 'command'), ok: yesOrNo, durationMs: milliseconds },
    { exitCode: fc.integer() },
  ),
  'loop.iteration.completed': fields({
    loopId: text,
    iteration: count,
    cost: dollars,
    duration: milliseconds,
    last: yesOrNo,
  }),
  'codon.extended': fields({ codonId, extension: atLeastOne, maxExtensions: atLeastOne }),
  'codon.retrying': fields({
    codonId,
    attempt: atLeastOne,
    maxAttempts: atLeastOne,
    delayMs: milliseconds,
    resumeAt: isoTime,
    failureReason,
  }),
  'run.parked': fields({ codonId, until: isoTime, reason: text }),
  'events.selected': fields({ lastSeq: fc.nat() }),
  'run.activity': fields(
    { phase: word('rig', 'outputs', 'checkpoint', 'restore', 'pack'), text },
    { codonId, done: fc.nat(), total: fc.nat(), over: fc.constant(true as const) },
  ),
  'archive.completed': fields({ ownerId: text, files: texts }),
  'outputs.copied': fields({ codonId, directory: text, files: texts }),
  'budget.exceeded': fc
    .tuple(budgetBreach, fields({ onExceeded: word('complete', 'fail') }, { codonId }))
    .map(([breach, policy]) => ({ ...breach, ...policy })),
  'preflight.result': fields(
    {
      ok: yesOrNo,
      problems: fc.array(fields({ severity: word('error', 'warning'), where: text, message: text }), {
        maxLength: 3,
      }),
    },
    { plan: map },
  ),
  'gate.armed': fields({ gateId: text, by: decidedBy }, { before: text, after: text, message: text }),
  'gate.waiting': fields(
    { gateId: text, round: atLeastOne },
    {
      codonId,
      next: text,
      message: text,
      files: fc.array(fields({ path: text, action: word('created', 'modified', 'deleted') }), {
        maxLength: 3,
      }),
      checkpoint: sha,
      deadline: isoTime,
      runId: text,
      attempt: atLeastOne,
    },
  ),
  'gate.decided': fields(
    {
      waitingSeq: count,
      gateId: text,
      decision: word('approved', 'rejected', 'expired', 'withdrawn', 'bypassed'),
      by: decidedBy,
      waitedMs: milliseconds,
    },
    { note: text, checkpoint: sha },
  ),
  'rule.fired': fields(
    {
      ruleId: text,
      codonId,
      do: word('notify', 'hold', 'stop'),
      hits: atLeastOne,
      evidence: fc.array(atLeastOne, { maxLength: 20 }),
    },
    { late: fc.constant(true as const) },
  ),
  'fleet.turn': fields(
    { executionId: text, batchId: text, epoch: atLeastOne, worker: text, head: fc.nat() },
    { lostDollars: fc.nat() },
  ),
  'fleet.published': fields({ seq: atLeastOne, bytes: fc.nat(), ms: fc.nat() }),
  'fleet.waiting': fields({ for: word('budget', 'provider', 'person', 'store') }, { until: isoTime }),
  'fleet.rest': fields({ left: fc.array(fields({ path: text, bytes: fc.nat() }), { maxLength: 5 }) }),
  'fleet.lost': fields({ why: text }),
}

const nonEmpty = text.map(id => id || 'e1')
const frame = fields({ id: nonEmpty, timestamp: isoTime }, { seq: fc.integer({ min: 1 }), commandId: text })

export function eventOf(type: EventType): fc.Arbitrary<ServerEvent> {
  return fc
    .tuple(frame, eventData[type])
    .map(
      ([{ id, timestamp, ...rest }, data]) =>
        ({ id, timestamp, type, data, ...rest }) as unknown as ServerEvent,
    )
}

export const anyEvent: fc.Arbitrary<ServerEvent> = fc.constantFrom(...eventTypes).chain(eventOf)
