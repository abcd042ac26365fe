import * as z from 'zod'
import { codonId, count, direct, type EventRow, either, journal, synced, text } from './event-row.ts'
import { extensionEvents } from './extension-events.ts'
import { codonExecution, stateSummary } from './state.ts'
import { type TransitionType, transitionTypes } from './transitions.ts'
import {
  checkpointInfo,
  checkpointType,
  dollars,
  failureReason,
  fileNode,
  type Immutable,
  isoTime,
  milliseconds,
  modelUsage,
  processExit,
  promptMetadata,
  sentinelStrategy,
  sentinelUnloadReason,
} from './values.ts'

const map = z.record(text, z.unknown())
const sentinel = { sentinelId: text, codonId }

/**
 * TABLE of the events: the protocol's own 27 and our extension events. Types, reading, journaling policy, routing and
 * `docs/protocol.md` are derived from it.
 */
export const events = {
  'server.idle': journal(
    'server-state',
    'The server waits for a command.',
    z.object({ reason: z.enum(['startup', 'codon-completed', 'all-codons-completed']), message: text }),
  ),
  'codon.started': journal(
    'server-state',
    'A codon begins.',
    z.object({
      codonId,
      codonName: text,
      codonDescription: text.optional(),
      sessionId: text,
      previousSessionId: text.optional(),
      startTime: isoTime,
      promptMetadata: promptMetadata.optional(),
    }),
  ),
  'codon.completed': synced(
    'server-state',
    'A codon ended, well or not.',
    z.object({
      codonId,
      success: z.boolean(),
      cost: dollars,
      duration: milliseconds,
      exitStatus: processExit,
      failureReason: failureReason.optional(),
      costUnknown: z.literal(true).optional(),
    }),
  ),
  'state.snapshot': journal(
    'server-state',
    'The whole picture, for clients that came late; sent during execution.',
    z.object({
      currentCodon: codonExecution.optional(),
      completedCodons: z.array(codonExecution),
      fileTree: z.array(fileNode),
      totalCost: dollars,
      totalTime: milliseconds,
      isRollingBack: z.boolean(),
    }),
  ),
  'token.usage': journal(
    'server-state',
    'Usage of one assistant message; `totalCost` is the codon so far.',
    z.object({
      codonId,
      inputTokens: count,
      outputTokens: count,
      cacheCreationTokens: count,
      cacheReadTokens: count,
      totalCost: dollars,
      modelId: text.optional(),
      modelUsage: z.record(text, modelUsage).optional(),
      startedAt: isoTime
        .optional()
        .register(z.globalRegistry, { description: 'when the agent had what it answers to' }),
    }),
  ),
  info: journal('server-state', 'A plain message.', z.object({ message: text })),
  error: either(
    'server-state',
    'Something went wrong; `severity` says what a client should do.',
    z.object({
      message: text,
      codon: text.optional(),
      fatal: z.boolean(),
      severity: z.enum(['fatal', 'codon', 'operation', 'warning']).optional(),
      context: map.optional(),
      code: text.optional(),
    }),
  ),
  'checkpoint.list': synced(
    'server-state',
    'Reply to the command `checkpoint.list`.',
    z.object({ runId: text, checkpoints: z.array(checkpointInfo), currentBranch: text }),
  ),

  'rollback.started': synced(
    'rollback',
    'A rollback begins; also the intent that a restart finishes or undoes.',
    z.object({
      fromRun: text,
      fromCodon: text,
      toCodon: text,
      toCheckpoint: text,
      checkpointType,
      codonsToProcess: z.array(text),
    }),
  ),
  'rollback.progress': journal(
    'rollback',
    'One step of a rollback is done.',
    z.object({ currentStep: count, totalSteps: count, message: text }),
  ),
  'rollback.codonCheckpoint': journal(
    'rollback',
    'The rollback passed a codon.',
    z.object({ codonId, codonName: text, checkpoint: text, checkpointType, message: text }),
  ),
  'rollback.rigCleanup': journal(
    'rollback',
    'What rigs of undone codons had made is moved out of the workspace; an `info` says where to.',
    z.object({
      codonId,
      codonName: text,
      directories: z.array(text),
      status: z.enum(['started', 'completed', 'failed', 'partial']),
      successfulCleanups: z.array(text).optional(),
      failedCleanups: z.array(z.object({ directory: text, error: text })).optional(),
    }),
  ),
  'rollback.completed': synced(
    'rollback',
    'The workspace is at the checkpoint and a new run is open.',
    z.object({
      fromRun: text,
      toRun: text,
      checkpoint: text,
      codonId,
      codonName: text,
      checkpointType,
      autoRestart: z.boolean(),
    }),
  ),
  'state.transition': synced(
    'rollback',
    'The state changed. Folding all of them gives the state.',
    z.object({
      transitionType: z.enum(transitionTypes as [TransitionType, ...TransitionType[]]),
      runId: text.optional(),
      codonId: codonId.optional(),
      transition: z.object({ type: text, data: map }),
      resultingState: stateSummary,
    }),
  ),

  'assistant.action': journal(
    'agentic',
    'The agent thought, spoke or called a tool.',
    z.object({
      codonId,
      action: z.enum(['thinking', 'message', 'tool_use']),
      content: text,
      toolName: text.optional(),
      toolInput: map.optional(),
      toolUseId: text
        .optional()
        .register(z.globalRegistry, { description: 'of the `tool.result` that follows' }),
    }),
  ),
  'tool.result': journal(
    'agentic',
    'A tool answered; long results are cut and `originalLength` says how long they were.',
    z.object({
      codonId,
      toolUseId: text,
      toolName: text,
      result: text,
      truncated: z.boolean(),
      originalLength: count,
      executionTimeMs: milliseconds,
      isError: z.boolean(),
    }),
  ),
  'file.updated': journal(
    'agentic',
    'A checkpointed file changed.',
    z.object({
      path: text,
      filename: text,
      content: text,
      action: z.enum(['created', 'modified', 'deleted']),
      bytes: count.optional(),
      sha256: text.optional(),
      omitted: z.enum(['binary', 'large']).optional(),
    }),
  ),
  'filetree.updated': journal(
    'agentic',
    'The tree of checkpointed files changed.',
    z.object({ tree: z.array(fileNode) }),
  ),

  'sentinel.loaded': journal(
    'sentinel',
    'An observer listens to a codon.',
    z.object({
      ...sentinel,
      model: text,
      triggerType: z.enum(['event', 'sequence']),
      executionStrategy: sentinelStrategy,
      conversational: z.boolean(),
      source: z.enum(['file', 'inline']),
      sourcePath: text.optional(),
    }),
  ),
  'sentinel.unloaded': journal(
    'sentinel',
    'An observer is gone.',
    z.object({
      ...sentinel,
      reason: sentinelUnloadReason,
      errorType: z.enum(['template', 'configuration', 'corruption', 'resource']).optional(),
      finalCost: dollars,
      llmCallCount: count,
      healthCheckCount: count.optional().register(z.globalRegistry, {
        description: 'How many of the calls asked only whether the model answers',
      }),
    }),
  ),
  'sentinel.output': journal(
    'sentinel',
    'An observer said something.',
    z.object({
      ...sentinel,
      triggerNumber: count,
      outputType: z.enum(['text', 'structured']),
      content: z.union([text, map]),
      cost: dollars,
      tokens: z.object({ input: count, output: count }),
      eventCount: count,
      durationMs: milliseconds
        .optional()
        .register(z.globalRegistry, { description: 'from the question to the answer, in milliseconds' }),
    }),
  ),
  'sentinel.error': journal(
    'sentinel',
    'An observer failed once.',
    z.object({
      ...sentinel,
      errorType: z.enum(['llm-call-failed', 'template-render-failed', 'file-write-failed']),
      message: text,
      retriable: z.boolean(),
      consecutiveFailureCount: count,
    }),
  ),
  'sentinel.triggered': journal(
    'sentinel',
    'An observer was triggered; verbose, usually not reported.',
    z.object({
      ...sentinel,
      triggerNumber: count,
      strategy: sentinelStrategy,
      eventCount: count,
      queueSize: count,
    }),
  ),

  'server.ready': direct(
    'connection',
    'Sent right after the handshake.',
    z.object({
      serverVersion: text,
      executionPath: text,
      dataPath: text,
      proxyPort: z.int().optional(),
      agentRootPath: text.optional(),
      outputDirectory: text.optional(),
      lastSeq: count.optional(),
      rehearsal: z.boolean().optional(),
    }),
  ),
  pong: direct(
    'connection',
    'Answer to `ping` (to the sender) and `ping.broadcast` (to all, with `clientId`).',
    z.object({ message: z.literal('pong'), timestamp: text, clientId: text.optional() }),
  ),
  'history.batch': direct(
    'connection',
    'A part of the journal; `hasMore` is false on the last.',
    z.object({ events: z.array(map), hasMore: z.boolean() }),
  ),
  'incomplete.codon': direct(
    'connection',
    'Deprecated and never sent: a codon of an earlier run had not ended.',
    z.object({ codonId, codonName: text, message: text }),
  ),

  ...extensionEvents,
} as const satisfies Record<string, EventRow>

export type EventType = keyof typeof events
export type EventData<T extends EventType> = Immutable<z.infer<(typeof events)[T]['data']>>

type Delivered<D extends EventRow['delivery']> = {
  [K in EventType]: (typeof events)[K]['delivery'] extends D ? K : never
}[EventType]

/** What `journal.append` takes. */
export type JournaledType = Delivered<'journal' | 'either'>
/** What may be sent to one client without being written. */
export type DirectType = Delivered<'direct' | 'either'>
export type ExtensionType = {
  [K in EventType]: (typeof events)[K]['category'] extends 'extension' ? K : never
}[EventType]

export const eventTypes = Object.keys(events) as readonly EventType[]

export function isEventType(name: string): name is EventType {
  return Object.hasOwn(events, name)
}
