import * as z from 'zod'
import { codonExecution, startedFrom, stateSummary } from './state.ts'
import { type TransitionType, transitionTypes } from './transitions.ts'
import {
  budgetBreach,
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

/**
 * TABLE of the events: the protocol's own 27 and our extension events. Types, reading, journaling
 * policy, routing and `docs/protocol.md` are derived from it.
 *
 * `delivery` says which road an event may take: `journal` (written, then sent to everyone), `direct` (sent, never
 * written), `either` (`error`: direct when it answers one command, otherwise journaled).
 * `durability` says when a journaled event may be sent: `synced` after it is safe against power loss, `grouped` after
 * it is written (the sync follows within 100 ms).
 */
export type EventCategory = 'server-state' | 'rollback' | 'agentic' | 'sentinel' | 'connection' | 'extension'

interface EventRow {
  readonly category: EventCategory
  readonly delivery: 'journal' | 'direct' | 'either'
  readonly durability: 'synced' | 'grouped'
  readonly summary: string
  readonly data: z.ZodType<object>
}

const text = z.string()
const count = z.int().nonnegative()
const codonId = text.describe('runtime id')
const map = z.record(text, z.unknown())

const sentinel = { sentinelId: text, codonId }
const outlineCodon = z.object({ id: text, name: text, model: text })

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

  'run.started': extension(
    'A run begins; `outline` lists the items of the plan.',
    z.object({
      runId: text,
      startTime: isoTime,
      gitBranch: text,
      startedFrom,
      hankName: text,
      outline: z.array(
        z.union([
          outlineCodon,
          z.object({ id: text, name: text, limit: z.int().nullable(), codons: z.array(outlineCodon) }),
        ]),
      ),
      rehearsal: z.boolean().optional(),
    }),
  ),
  'run.completed': extension(
    'A run ended: what it did and what it cost, per codon budget against use.',
    z.object({
      runId: text,
      status: z.enum(['completed', 'failed', 'stopped']),
      reason: text.optional(),
      totalCost: dollars,
      costUnknown: z.literal(true).optional(),
      duration: milliseconds,
      codons: z.array(
        z.object({
          codonId,
          codonName: text,
          status: text,
          attempts: z.int().min(1),
          cost: dollars,
          duration: milliseconds,
          budget: z
            .array(z.object({ currency: text, limit: z.number(), used: z.number(), source: text }))
            .optional(),
          budgetExceeded: budgetBreach.optional(),
        }),
      ),
    }),
    'synced',
  ),
  'rig.output': extension(
    'Output of a rig command as it runs, or of a command that checks outputs before they are copied.',
    z.object({
      codonId,
      operation: count,
      stream: z.enum(['stdout', 'stderr']),
      text,
      check: z
        .literal(true)
        .optional()
        .register(z.globalRegistry, { description: 'The command stands in `outputFiles`, not in the rig' }),
    }),
  ),
  'rig.operation': extension(
    'One operation of a rig ended.',
    z.object({
      codonId,
      operation: count,
      type: z.enum(['copy', 'command']),
      ok: z.boolean(),
      durationMs: milliseconds,
      exitCode: z.int().optional(),
    }),
  ),
  'loop.iteration.completed': extension(
    'One iteration of a loop ended.',
    z.object({ loopId: text, iteration: count, cost: dollars, duration: milliseconds, last: z.boolean() }),
  ),
  'codon.extended': extension(
    'A codon with `exhaustWithPrompt` goes on.',
    z.object({ codonId, extension: z.int().min(1), maxExtensions: z.int().min(1) }),
  ),
  'codon.retrying': extension(
    'A failed codon is tried again after a delay.',
    z.object({
      codonId,
      attempt: z.int().min(1).register(z.globalRegistry, { description: 'the attempt that will run' }),
      maxAttempts: z.int().min(1),
      delayMs: milliseconds,
      resumeAt: isoTime,
      failureReason,
    }),
  ),
  'run.parked': extension(
    'A provider asked for a wait over 60 s; the run sleeps until then.',
    z.object({ codonId, until: isoTime, reason: text }),
  ),
  'archive.completed': extension(
    'Files of `archiveOnSuccess` were moved to the archive.',
    z.object({ ownerId: text.describe('runtime id or loop id'), files: z.array(text) }),
  ),
  'outputs.copied': extension(
    'Files of `outputFiles` were copied to the output directory; should the codon fail yet, they are taken back.',
    z.object({ codonId, directory: text, files: z.array(text).describe('relative to the directory') }),
  ),
  'budget.exceeded': extension(
    'A limit was reached.',
    budgetBreach.extend({
      codonId: codonId.optional(),
      onExceeded: z.enum(['complete', 'fail']),
      share: z
        .union([z.number(), z.literal('rest')])
        .optional()
        .register(z.globalRegistry, {
          description:
            'The limit is a share of the scope: so many percent, or of the rest that the shares of others leave',
        }),
    }),
    'synced',
  ),
  'run.activity': direct(
    'extension',
    'What the run does right now that takes long, about once a second; `over` when it is done. Never written.',
    z.object({
      phase: z.enum(['rig', 'outputs', 'checkpoint', 'restore', 'pack']),
      codonId: codonId.optional(),
      text,
      done: count.optional(),
      total: count.optional(),
      over: z.literal(true).optional(),
    }),
  ),
  'preflight.result': extension(
    'What the checks before a run found; carries the frozen plan when an execution is created.',
    z.object({
      ok: z.boolean(),
      problems: z.array(z.object({ severity: z.enum(['error', 'warning']), where: text, message: text })),
      plan: map.optional(),
    }),
    'synced',
  ),
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

function journal<C extends EventCategory, D extends z.ZodType<object>>(
  category: C,
  summary: string,
  data: D,
) {
  return { category, delivery: 'journal', durability: 'grouped', summary, data } as const
}

function synced<C extends EventCategory, D extends z.ZodType<object>>(category: C, summary: string, data: D) {
  return { category, delivery: 'journal', durability: 'synced', summary, data } as const
}

function either<C extends EventCategory, D extends z.ZodType<object>>(category: C, summary: string, data: D) {
  return { category, delivery: 'either', durability: 'grouped', summary, data } as const
}

function direct<C extends EventCategory, D extends z.ZodType<object>>(category: C, summary: string, data: D) {
  return { category, delivery: 'direct', durability: 'grouped', summary, data } as const
}

function extension<D extends z.ZodType<object>>(
  summary: string,
  data: D,
  durability: EventRow['durability'] = 'grouped',
) {
  return { category: 'extension', delivery: 'journal', durability, summary, data } as const
}
