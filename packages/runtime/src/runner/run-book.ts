import { currentRun, type RunState } from '@weave/protocol'
import type { TimeNotes } from '../budget/index.ts'
import type { Journal } from '../journal/index.ts'
import { type Clock, createId } from '../kit/index.ts'
import type { Plan } from '../plan/index.ts'
import type { CheckpointEffects } from './effects.ts'
import type { Recorder } from './record.ts'
import { runStarted, runStartedEvent, runSummary, type StartedFrom } from './run-record.ts'
import { resumePoint } from './standing.ts'

export interface RunBookOptions {
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
}: RunBookOptions) {
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
    /** What there is to say about the run that was closed last. */
    summary() {
      const run = currentRun(recorder.state)
      return run && runSummary(plan, run, { duration: clock.monotonic() - openedAt, notes: times() })
    },
  }
}

export type RunBook = ReturnType<typeof createRunBook>
