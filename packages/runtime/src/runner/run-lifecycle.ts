import {
  type CodonExecution,
  currentRun,
  type EventData,
  type RunState,
  type Transition,
} from '@weave/protocol'
import { budgetUse, type TimeNotes } from '../budget/index.ts'
import type { Journal } from '../journal/index.ts'
import { type Clock, createId } from '../kit/index.ts'
import type { Plan } from '../plan/index.ts'
import type { Move } from './decide.ts'
import type { CheckpointEffects } from './effects.ts'
import type { StartedFrom } from './lineage.ts'
import { resumePoint } from './resume-point.ts'
import type { RunEvents } from './run-events.ts'
import type { Recorder } from './state-recorder.ts'

export interface RunLifecycleOptions {
  readonly plan: Plan
  readonly journal: Journal
  readonly recorder: Recorder
  readonly clock: Clock
  readonly effects: { readonly checkpoints: Pick<CheckpointEffects, 'firstCheckpoint'> }
  /** Of the first run that is opened: the one that the lock names. */
  readonly firstRunId?: string | undefined
  /** What only the journal knows about time. */
  readonly times?: (() => TimeNotes) | undefined
}

/** Opens and closes runs. */
export function createRunBook({
  plan,
  journal,
  recorder,
  clock,
  effects,
  firstRunId,
  times = () => ({}),
}: RunLifecycleOptions) {
  let openedAt = clock.monotonic()

  const openRun = (): RunState | undefined => {
    const run = currentRun(recorder.state)
    return run?.status === 'running' ? run : undefined
  }

  const nextId = (): string => {
    const isUsed = recorder.state.runs.some(({ runId }) => runId === firstRunId)
    return firstRunId === undefined || isUsed ? createId('run') : firstRunId
  }

  return {
    isOpen: () => openRun() !== undefined,
    isDone: () => currentRun(recorder.state)?.status === 'completed',
    /** Why the last run failed; undefined when it did not. */
    failure(): string | undefined {
      const run = currentRun(recorder.state)
      return run?.status === 'failed' ? run.reason : undefined
    },
    /** Goes on from what there is, unless another place is named. */
    open(startedFrom: StartedFrom = resumePoint(plan, recorder.state)): void {
      const started = runStarted(nextId(), clock.now().toISOString(), startedFrom)
      const { runId } = started.data
      openedAt = clock.monotonic()
      recorder.record(started)
      const sha =
        (startedFrom.type === 'continuation' ? startedFrom.checkpoint : undefined) ??
        effects.checkpoints.firstCheckpoint()
      if (sha !== undefined) recorder.record({ type: 'InitialCheckpointSet', data: { runId, sha } })
      journal.append('run.started', runStartedEvent(plan, started))
    },
    close(outcome: 'completed' | 'stopped', reason?: string): void {
      const runId = openRun()?.runId
      if (runId === undefined) return
      const endTime = clock.now().toISOString()
      const why = reason === undefined ? {} : { reason }
      recorder.record({ type: 'RunCompleted', data: { runId, endTime, outcome, ...why } })
    },
    fail(reason: string, codonId: string): void {
      const runId = openRun()?.runId
      if (runId === undefined) return
      const endTime = clock.now().toISOString()
      recorder.record({ type: 'RunFailed', data: { runId, endTime, reason, codonId } })
    },
    /** The summary of the run that was closed last. */
    summary() {
      const run = currentRun(recorder.state)
      return run && runSummary(plan, run, { duration: clock.monotonic() - openedAt, notes: times() })
    },
  }
}

export type RunBook = ReturnType<typeof createRunBook>

/**
 * A run that was cut short after its last codon left nothing to do: the start that finds that out says so, as a run of its
 * own. A run that failed stays failed.
 */
export function recordDone(options: RunLifecycleOptions, startedFrom: StartedFrom): void {
  const status = currentRun(options.recorder.state)?.status
  if (status !== 'stopped' && status !== 'crashed') return
  const book = createRunBook(options)
  book.open(startedFrom)
  book.close('completed')
  const summary = book.summary()
  if (summary) options.journal.append('run.completed', summary)
}

/** How the server came to its end. */
export interface RunnerEnd {
  readonly status: 'completed' | 'failed' | 'stopped'
  readonly reason?: string
  /** The gate at which it left, since it was not to wait. */
  readonly gate?: string
}

interface RunEndsOptions {
  readonly book: RunBook
  readonly events: RunEvents
  /** Nobody is waited for when the hank has come to its end. */
  readonly endsWithHank: boolean
  /** A person decides what becomes of any failure. */
  readonly attended?: boolean
}

/** The ways in which a run comes to a stop. Each returns the end of the server when there is nothing left to wait for. */
export function createRunEnds({ book, events, endsWithHank, attended = false }: RunEndsOptions) {
  const close = (outcome: 'completed' | 'stopped', reason?: string): void => {
    if (!book.isOpen()) return
    book.close(outcome, reason)
    events.runEnd(book.summary())
  }

  return {
    close,
    finish(): RunnerEnd | undefined {
      close('completed')
      events.idle('all-codons-completed', 'All codons are done.')
      return endsWithHank ? { status: 'completed' } : undefined
    },
    /** A retriable failure leaves the server up for a redo; any other ends it, unless a person is there who may mend it. */
    abort({ codonId, retriable, reason }: Move & { kind: 'abort' }): RunnerEnd | undefined {
      book.fail(reason, codonId)
      const isFatal = !retriable && !attended
      const severity = isFatal ? 'fatal' : 'codon'
      events.emit({ type: 'error', data: { message: reason, codon: codonId, fatal: isFatal, severity } })
      events.runEnd(book.summary())
      if (!isFatal) events.idle('codon-completed', 'The codon failed; codon.redo runs it again.')
      return isFatal || endsWithHank ? { status: 'failed', reason } : undefined
    },
    /** A person stopped the codon: the next one waits. */
    hold(message: string): RunnerEnd | undefined {
      events.idle('codon-completed', message)
      if (!endsWithHank) return undefined
      close('stopped', 'stopped by force')
      return { status: 'failed', reason: 'stopped by force' }
    },
    /** A person said no: a later run asks again. */
    reject(reason: string): RunnerEnd | undefined {
      close('stopped', reason)
      events.idle('codon-completed', `Stopped: ${reason}. codon.next asks again.`)
      return endsWithHank ? { status: 'failed', reason } : undefined
    },
    /** A hank that was done before the shutdown is done; one that failed before the eyes of a person has failed. */
    down(reason: string): RunnerEnd {
      if (book.isDone()) return { status: 'completed' }
      const failure = attended ? book.failure() : undefined
      if (failure !== undefined) return { status: 'failed', reason: failure }
      close('stopped', reason)
      return { status: 'stopped', reason }
    },
  }
}

export type RunEnds = ReturnType<typeof createRunEnds>

/** The words that open and close a run. Pure. */

export function runStarted(
  runId: string,
  startTime: string,
  startedFrom: StartedFrom,
): Transition<'RunStarted'> {
  return { type: 'RunStarted', data: { runId, startTime, gitBranch: `run-${runId}`, startedFrom } }
}

function runStartedEvent(plan: Plan, { data }: Transition<'RunStarted'>): EventData<'run.started'> {
  const codon = ({
    id,
    name,
    model,
  }: {
    readonly id: string
    readonly name: string
    readonly model: { readonly id: string }
  }) => ({
    id,
    name,
    model: model.id,
  })
  const outline = plan.items.map(item =>
    item.kind === 'codon'
      ? codon(item)
      : { id: item.id, name: item.name, limit: item.limit, codons: item.codons.map(codon) },
  )
  return { ...data, hankName: plan.hankName, outline }
}

interface RunTimes {
  /** Milliseconds. */
  readonly duration: number
  readonly notes: TimeNotes
}

function runSummary(plan: Plan, run: RunState, { duration, notes }: RunTimes): EventData<'run.completed'> {
  const status = run.status === 'completed' || run.status === 'stopped' ? run.status : 'failed'
  const reason = 'reason' in run && run.reason !== undefined ? { reason: run.reason } : {}
  return {
    runId: run.runId,
    status,
    ...reason,
    totalCost: run.cost,
    ...(run.codons.some(codon => codon.costUnknown) && { costUnknown: true }),
    duration,
    codons: withBudgets(plan, run, notes),
  }
}

function withBudgets(plan: Plan, run: RunState, notes: TimeNotes): EventData<'run.completed'>['codons'] {
  const lines = budgetUse(plan, run, notes)
  return run.codons.map((codon, at) => {
    const budget = lines[at] ?? []
    const breach = 'budgetExceeded' in codon ? codon.budgetExceeded : undefined
    return {
      ...codonSummary(codon),
      ...(budget.length > 0 && { budget: [...budget] }),
      ...(breach && { budgetExceeded: breach }),
    }
  })
}

function codonSummary(codon: CodonExecution): EventData<'run.completed'>['codons'][number] {
  const { codonId, codonName, status, attempt, cost } = codon
  const duration =
    'endTime' in codon ? Math.max(0, Date.parse(codon.endTime) - Date.parse(codon.startTime)) : 0
  return { codonId, codonName, status, attempts: attempt, cost, duration }
}
