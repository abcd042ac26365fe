import type { EventData, EventType, ServerEvent } from '@weave/protocol'
import type { ClientStatus } from './link.ts'
import { appended, pushed } from './ring.ts'
import { limitsOfPlan } from './view-limits.ts'
import { withSnapshot } from './view-machine.ts'
import { type FileChange, type SentinelView, type View, viewCaps } from './view-model.ts'
import { streamEntryOf } from './view-stream.ts'
import { afterTransition } from './view-transition.ts'

/**
 * The picture after one more event. Pure, never throws. An event that the picture has seen already (by its `seq`)
 * changes nothing. Costs about the same however long the run has been going.
 */
export function reduceView(view: View, event: ServerEvent): View {
  if (event.seq !== undefined && event.seq <= view.lastSeq) return view
  const entry = streamEntryOf(event)
  return {
    ...view,
    ...changeOf(view, event),
    lastSeq: event.seq ?? view.lastSeq,
    eventCount: view.eventCount + 1,
    stream: entry ? pushed(view.stream, entry, viewCaps.stream) : view.stream,
  }
}

/** The picture with what is known about the connection. */
export function withConnection(view: View, connection: ClientStatus): View {
  return { ...view, connection }
}

/** What an event changes. `time` is its timestamp. Types without an entry only appear in the stream, or nowhere. */
type Changes = {
  readonly [T in EventType]?: (view: View, data: EventData<T>, time: string) => Partial<View>
}

const changes: Changes = {
  'server.ready': (_, data) => ({ server: data, rehearsal: data.rehearsal === true }),
  'server.idle': (_, data) => ({ idle: data, waiting: undefined }),
  error: view => ({ errorCount: view.errorCount + 1 }),

  'state.transition': afterTransition,
  'state.snapshot': (view, data, time) => ({
    machine: withSnapshot(view.machine, data, time),
    totals: { ...view.totals, cost: data.totalCost, timeMs: data.totalTime },
    fileTree: data.fileTree,
    rollback: data.isRollingBack ? (view.rollback ?? { step: 0, totalSteps: 0, message: '' }) : undefined,
  }),
  'token.usage': (_, data) => ({
    context: {
      codonId: data.codonId,
      tokens: data.inputTokens + data.outputTokens + data.cacheCreationTokens + data.cacheReadTokens,
      ...(data.modelId === undefined ? {} : { modelId: data.modelId }),
    },
  }),

  'run.started': (view, { runId, hankName, outline, rehearsal }) => ({
    plan: { runId, hankName, outline },
    rehearsal: rehearsal ?? view.rehearsal,
    summary: undefined,
  }),
  'run.completed': (_, data) => ({
    summary: { ...data, codons: data.codons.slice(-viewCaps.codons) },
    waiting: undefined,
  }),
  'codon.started': () => ({ idle: undefined, waiting: undefined }),
  'loop.iteration.completed': withIteration,
  'codon.retrying': (_, { codonId, resumeAt, attempt, maxAttempts, failureReason }) => ({
    waiting: {
      kind: 'retry',
      codonId,
      until: resumeAt,
      attempt,
      maxAttempts,
      reason: failureReason.message ?? failureReason.type,
    },
  }),
  'run.parked': (_, data) => ({ waiting: { kind: 'parked', ...data } }),
  'preflight.result': (view, { plan }) => (plan ? { limits: limitsOfPlan(plan) } : { limits: view.limits }),
  'budget.exceeded': (view, data, time) => ({
    breaches: appended(view.breaches, { ...data, time }, viewCaps.breaches),
  }),

  'rollback.started': (_, { toCodon, toCheckpoint: checkpoint }) => ({
    rollback: { toCodon, checkpoint, step: 0, totalSteps: 0, message: '' },
    waiting: undefined,
  }),
  'rollback.progress': (view, { currentStep: step, totalSteps, message }) => ({
    rollback: { ...view.rollback, step, totalSteps, message },
  }),
  'rollback.completed': () => ({ rollback: undefined }),

  'file.updated': (view, { path, action }, time) => ({
    files: withFile(view.files, { path, action, time, changes: 1 }),
  }),
  'filetree.updated': (_, { tree }) => ({ fileTree: tree }),
  'checkpoint.list': (_, data) => ({
    checkpointList: { ...data, checkpoints: data.checkpoints.slice(-viewCaps.checkpoints) },
  }),

  'sentinel.loaded': (view, { sentinelId, codonId, model }) =>
    withSentinel(view, { sentinelId, codonId }, known => ({ ...known, model, loaded: true })),
  'sentinel.output': (view, { cost, ...data }) =>
    withSentinel(view, data, known => ({ ...known, outputs: known.outputs + 1, cost: known.cost + cost })),
  'sentinel.error': (view, data) =>
    withSentinel(view, data, known => ({ ...known, errors: known.errors + 1 })),
  'sentinel.unloaded': (view, { finalCost: cost, reason: unloadReason, ...data }) =>
    withSentinel(view, data, known => ({ ...known, loaded: false, cost, unloadReason })),
}

function changeOf<T extends EventType>(view: View, event: ServerEvent<T>): Partial<View> | undefined {
  const change: ((view: View, data: EventData<T>, time: string) => Partial<View>) | undefined =
    changes[event.type]
  return change?.(view, event.data, event.timestamp)
}

function withIteration(view: View, data: EventData<'loop.iteration.completed'>): Partial<View> {
  const { loopId, iteration } = data
  const known = view.loops[loopId] ?? { completed: 0, cost: 0, durationMs: 0 }
  if (!view.loops[loopId] && Object.keys(view.loops).length >= viewCaps.loops) return {}
  const progress = {
    ...known,
    completed: Math.max(known.completed, iteration + 1),
    cost: known.cost + data.cost,
    durationMs: known.durationMs + data.duration,
    ...(data.last ? { last: iteration } : {}),
  }
  return { loops: { ...view.loops, [loopId]: progress } }
}

function withFile(files: readonly FileChange[], change: FileChange): readonly FileChange[] {
  const index = files.findLastIndex(file => file.path === change.path)
  const known = files[index]
  if (!known) return appended(files, change, viewCaps.files)
  return [...files.toSpliced(index, 1), { ...change, changes: known.changes + 1 }]
}

function withSentinel(
  view: View,
  { sentinelId, codonId }: Pick<SentinelView, 'sentinelId' | 'codonId'>,
  change: (known: SentinelView) => SentinelView,
): Partial<View> {
  const index = view.sentinels.findLastIndex(
    sentinel => sentinel.sentinelId === sentinelId && sentinel.codonId === codonId,
  )
  const known = view.sentinels[index]
  const unseen = { sentinelId, codonId, model: '', loaded: true, outputs: 0, errors: 0, cost: 0 }
  const next = change(known ?? unseen)
  return {
    sentinels: known ? view.sentinels.with(index, next) : appended(view.sentinels, next, viewCaps.sentinels),
  }
}
