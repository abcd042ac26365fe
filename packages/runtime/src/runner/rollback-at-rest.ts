import { currentRun, type RunState, type WeaveState } from '@weave/protocol'
import type { Journal } from '../journal/index.ts'
import type { Clock } from '../kit/index.ts'
import type { Plan } from '../plan/index.ts'
import type { CheckpointEffects, RollbackEffects } from './effects.ts'
import { rigKeptBy, type StartedFrom } from './lineage.ts'
import { type Beginning, nextStep } from './resume-point.ts'
import { performRollback, type RollbackTask, type RolledBack, rollbackCompleted } from './rollback.ts'
import { undoneBy } from './rollback-target.ts'
import { createRunEvents } from './run-events.ts'
import { createRunBook, createRunEnds, runStarted } from './run-lifecycle.ts'
import type { Recorder } from './state-recorder.ts'

export interface RestOptions {
  readonly plan: Plan
  readonly journal: Journal
  readonly recorder: Recorder
  readonly clock: Clock
  readonly firstRunId?: string | undefined
  readonly effects: {
    readonly checkpoints: Pick<CheckpointEffects, 'firstCheckpoint'>
    readonly rollback: RollbackEffects
  }
}

/**
 * A rollback while nothing runs. What is done and recorded is what a server does; the run that goes on from the target is
 * closed again at once, and the next start begins where it began.
 */
export async function rollBackAtRest(
  options: RestOptions,
  { target, archives }: Pick<RollbackTask, 'target' | 'archives'>,
): Promise<RolledBack> {
  const { recorder, effects } = options
  const { emit } = createRunEvents(options)
  const fromRun = currentRun(recorder.state)?.runId ?? ''
  const undone = undoneBy(recorder.state, target.startedFrom)
  const rigKept = rigKeptBy(recorder.state, target.startedFrom)
  const result = await performRollback({
    target,
    undone,
    rigKept,
    archives,
    fromRun,
    effects: effects.rollback,
    emit,
  })
  if (!result.ok) return result
  openAtRest(options, target.startedFrom, toRun =>
    emit(rollbackCompleted(target, { fromRun, toRun, autoRestart: false })),
  )
  return result
}

/** What the run of a rollback needs of the rooms around it. */
export type RestRun = Omit<RestOptions, 'effects'> & {
  readonly effects: {
    readonly checkpoints: Pick<CheckpointEffects, 'firstCheckpoint'>
    readonly rollback: Pick<RollbackEffects, 'rollbackIntent'>
  }
  /** Why it is closed at once. */
  readonly reason?: string
}

/** The run that goes on from a rollback, for the next start to go on from. */
export function openAtRest(
  options: RestRun,
  startedFrom: StartedFrom,
  onOpen: (runId: string) => void = () => undefined,
): void {
  const { recorder, effects, reason = 'rolled back while nothing ran' } = options
  const book = createRunBook(options)
  const ends = createRunEnds({ book, events: createRunEvents(options), endsWithHank: true })
  book.open(startedFrom)
  effects.rollback.rollbackIntent.clear()
  onOpen(currentRun(recorder.state)?.runId ?? '')
  ends.close('stopped', reason)
}

/** The codon with which a run that is started so would begin; undefined: the plan is at its end there. */
export function goesOnWith(plan: Plan, state: WeaveState, startedFrom: StartedFrom): Beginning | undefined {
  const run: RunState = { ...runStarted('', '', startedFrom).data, status: 'running', codons: [], cost: 0 }
  return nextStep(plan, { ...state, runs: [...state.runs, run] })
}
