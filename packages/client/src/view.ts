import {
  type CodonExecution,
  type EventData,
  type EventType,
  parseTransition,
  type ServerEvent,
  type Transition,
} from '@weave/protocol'
import type { ClientStatus } from './reconnecting-connection.ts'
import { appended, pushed } from './ring.ts'
import { reduceGates } from './view-gates.ts'
import { limitsOfPlan } from './view-limits.ts'
import { durationOf, iterationOf, sumOf, withSnapshot, withTransition } from './view-machine.ts'
import {
  type Checkpoint,
  type FileChange,
  type LoopProgress,
  type Plan,
  type SentinelView,
  type View,
  viewCaps,
} from './view-model.ts'
import { promptsOfPlan } from './view-prompts.ts'
import { streamEntryOf } from './view-stream.ts'

/**
 * The picture after one more event. Pure, never throws. An event that the picture has seen already (by its `seq`)
 * changes nothing. Costs about the same however long the run has been going.
 */
export function reduceView(view: View, event: ServerEvent): View {
  if (event.seq !== undefined && event.seq <= view.lastSeq) return view
  const entry = repeatsFailure(view, event) ? undefined : streamEntryOf(event, isSkipped(view, event))
  return {
    ...view,
    ...changeOf(view, event),
    gates: reduceGates(view.gates, event),
    lastSeq: event.seq ?? view.lastSeq,
    eventCount: view.eventCount + 1,
    stream: entry ? pushed(view.stream, entry, viewCaps.stream) : view.stream,
  }
}

/** A codon that fails and ends its run is told twice, as its end and as an error: people need one entry. */
function repeatsFailure({ stream }: View, event: ServerEvent): boolean {
  if (event.type !== 'error' || event.data.codon === undefined || event.data.severity === 'warning')
    return false
  const last = stream.chunks.at(-1)?.at(-1)
  return last?.kind === 'codon' && last.failed === true && last.codonId === event.data.codon
}

/** A codon that was skipped ends like one that failed; only the state knows the difference. */
function isSkipped({ machine }: View, event: ServerEvent): boolean {
  if (event.type !== 'codon.completed') return false
  const record = machine.state.runs.at(-1)?.codons.findLast(({ codonId }) => codonId === event.data.codonId)
  return record?.status === 'skipped'
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
  'server.idle': (_, data) => ({ idle: data, waiting: undefined, activity: undefined }),
  error: (view, { severity }) => (severity === 'warning' ? {} : { errorCount: view.errorCount + 1 }),

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
  'codon.started': () => ({ idle: undefined, waiting: undefined, activity: undefined }),
  'run.activity': (_, data) => ({ activity: data.over ? undefined : data }),
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
  'preflight.result': (view, { plan }) =>
    plan ? { limits: limitsOfPlan(plan), prompts: promptsOfPlan(plan) } : { limits: view.limits },
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
  'outputs.copied': (view, { codonId, directory, files }, time) => {
    const copy = {
      codonId,
      directory,
      time,
      files: files.slice(0, viewCaps.outputFiles),
      count: files.length,
    }
    return { outputs: appended(view.outputs, copy, viewCaps.outputs) }
  },
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

/** What a change of state does to the picture, besides the state itself. */
function afterTransition(view: View, data: EventData<'state.transition'>, time: string): Partial<View> {
  const transition = parseTransition(data.transition)
  if ('problem' in transition) return { machine: { ...view.machine, complete: false } }
  const { totalCost, currentRunCost, currentRunId } = data.resultingState
  const machine = withTransition(view.machine, transition, data.resultingState)
  const checkpoint = checkpointOf(transition, currentRunId ?? undefined, time)
  return {
    machine,
    totals: { ...view.totals, cost: totalCost, runCost: currentRunCost },
    ...(checkpoint
      ? { checkpoints: appended(view.checkpoints, checkpoint, viewCaps.checkpoints) }
      : undefined),
    ...(endsWaiting(transition) ? { waiting: undefined } : undefined),
    ...(transition.type === 'CodonStarted' ? { idle: undefined } : undefined),
    ...(transition.type === 'RunStarted'
      ? { summary: undefined, idle: undefined, loops: keptLoops(view, machine.settled) }
      : undefined),
  }
}

function checkpointOf(
  transition: Transition,
  runId: string | undefined,
  time: string,
): Checkpoint | undefined {
  if (transition.type === 'InitialCheckpointSet') {
    return { sha: transition.data.sha, type: 'initial', runId, codonId: undefined, time }
  }
  if (transition.type !== 'CheckpointCreated') return undefined
  const { sha, checkpointType: type, codonId } = transition.data
  return { sha, type, runId, codonId, time }
}

function endsWaiting({ type, data }: Transition): boolean {
  if (type === 'CodonTransitioned') return data.to === 'skipped'
  return type === 'CodonStarted' || type === 'CostsUpdated' || type.startsWith('Run')
}

/** Loops as they were at the point from which a new run goes on: iterations behind it count, later ones do not. */
function keptLoops(view: View, settled: readonly CodonExecution[]): View['loops'] {
  const kept: Record<string, LoopProgress> = {}
  for (const [loopId, progress] of Object.entries(view.loops)) {
    const own = settled.filter(codon => codon.loopContext?.loopId === loopId)
    const completed = Math.min(progress.completed, completedIn(own, codonIdsOf(view.plan, loopId)))
    if (completed === progress.completed) kept[loopId] = progress
    else if (completed > 0) kept[loopId] = { completed, ...spentBefore(own, completed) }
  }
  return kept
}

/** How many iterations these records complete: all before the newest, and that one if each codon of the loop is in it. */
function completedIn(own: readonly CodonExecution[], codonIds: readonly string[]): number {
  const newest = Math.max(-1, ...own.map(iterationOf))
  const isWhole = codonIds.every(id => own.some(codon => codon.codonId === `${id}#${newest}`))
  return isWhole ? newest + 1 : Math.max(0, newest)
}

function codonIdsOf(plan: Plan | undefined, loopId: string): readonly string[] {
  const loop = plan?.outline.find(item => item.id === loopId)
  return loop && 'codons' in loop ? loop.codons.map(codon => codon.id) : []
}

function spentBefore(
  own: readonly CodonExecution[],
  completed: number,
): Pick<LoopProgress, 'cost' | 'durationMs'> {
  const done = own.filter(codon => iterationOf(codon) < completed)
  return { cost: sumOf(done, codon => codon.cost), durationMs: sumOf(done, durationOf) }
}
