import { currentRun, type RunState, type WeaveState } from '@weave/protocol'
import type { Journal } from '../journal/index.ts'
import type { Clock } from '../kit/index.ts'
import type { Plan } from '../plan/index.ts'
import { createAnnouncer } from './announce.ts'
import type { CheckpointEffects, RollbackEffects } from './effects.ts'
import type { Recorder } from './record.ts'
import { performRollback, type RollbackTask, type RolledBack, rollbackCompleted } from './rollback.ts'
import { undoneBy } from './rollback-target.ts'
import { createRunBook } from './run-book.ts'
import { createRunEnds } from './run-ends.ts'
import { runStarted, type StartedFrom } from './run-record.ts'
import { type Beginning, nextStep } from './standing.ts'
import { rigKeptBy } from './thread.ts'

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
  const { tell } = createAnnouncer(options)
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
    tell,
  })
  if (!result.ok) return result
  openAtRest(options, target.startedFrom, toRun =>
    tell(rollbackCompleted(target, { fromRun, toRun, autoRestart: false })),
  )
  return result
}

/** The run that goes on from a rollback, for the next start to go on from. */
export function openAtRest(
  options: RestOptions,
  startedFrom: StartedFrom,
  onOpen: (runId: string) => void = () => undefined,
): void {
  const { recorder, effects } = options
  const book = createRunBook(options)
  const ends = createRunEnds({ book, say: createAnnouncer(options), endsWithHank: true })
  book.open(startedFrom)
  effects.rollback.rollbackIntent.clear()
  onOpen(currentRun(recorder.state)?.runId ?? '')
  ends.close('stopped', 'rolled back while nothing ran')
}

/** The codon with which a run that is started so would begin; undefined: the plan is at its end there. */
export function goesOnWith(plan: Plan, state: WeaveState, startedFrom: StartedFrom): Beginning | undefined {
  const run: RunState = { ...runStarted('', '', startedFrom).data, status: 'running', codons: [], cost: 0 }
  return nextStep(plan, { ...state, runs: [...state.runs, run] })
}
