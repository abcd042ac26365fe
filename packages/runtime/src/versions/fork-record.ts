import { type CodonExecution, currentRun, type Transition, type WeaveState } from '@weave/protocol'
import { type Journal, openJournal } from '../journal/index.ts'
import { type Clock, createRedactor, secretsOf } from '../kit/index.ts'
import type { Plan } from '../plan/index.ts'
import { createRecorder, openAtRest } from '../runner/index.ts'
import type { ExecutionLayout } from '../workspace/index.ts'
import type { ForkPlace } from './fork-place.ts'

export interface ForkRecord {
  /** Of the fork, with the copied beginning in place. */
  readonly layout: ExecutionLayout
  readonly point: ForkPlace
  readonly plan: Plan
  /** The plan takes over from the one that is there. */
  readonly takesOver: boolean
  /** For people. */
  readonly words: string
  readonly clock: Clock
  readonly environment: Readonly<Record<string, string | undefined>>
}

export interface WrittenRecord {
  /** The event with the plan that took over. */
  readonly planSeq?: number
}

/**
 * Goes on in the copied journal: what was going on at the point has ended there, another plan is written down, and a run is
 * open and closed that the next start goes on from. Not synced, as all of a fork that is being made. Rejects with the
 * system's error.
 */
export async function writeForkRecord(record: ForkRecord): Promise<WrittenRecord> {
  const { layout, point, plan, takesOver, words, clock, environment } = record
  const redactor = createRedactor(secretsOf(environment))
  const { index: known } = point.cut
  const journal = await openJournal({ dir: layout.journal, clock, redactor, syncs: false, known })
  try {
    // The journal is the beginning of the other one, up to the point: so is what it folds to.
    const { state } = point
    const recorder = createRecorder(journal, redactor, state)
    for (const transition of endingsOf(state, point.time)) recorder.record(transition)
    const planSeq = takesOver ? adoptPlan(journal, plan) : undefined
    journal.append('info', { message: words })
    const effects = {
      checkpoints: { firstCheckpoint: () => state.runs[0]?.initialCheckpoint },
      rollback: { rollbackIntent: { write: () => undefined, clear: () => undefined } },
    }
    openAtRest({ plan, journal, recorder, clock, effects, reason: 'fork' }, point.startedFrom)
    return planSeq === undefined ? {} : { planSeq }
  } finally {
    await journal.close()
  }
}

function adoptPlan(journal: Journal, plan: Plan): number {
  return journal.append('preflight.result', { ok: true, problems: [], plan: { ...plan } }).seq
}

/** What ends what was going on, at the moment of the point: no time passes for a ledger in between. Pure. */
function endingsOf(state: WeaveState, time: string): readonly Transition[] {
  const run = currentRun(state)
  if (run?.status !== 'running') return []
  const { runId } = run
  const live = run.codons.find(isLive)
  return [
    ...(live ? [stopped(live, time)] : []),
    { type: 'RunCompleted', data: { runId, endTime: time, outcome: 'stopped', reason: 'fork' } },
  ]
}

function isLive(record: CodonExecution): boolean {
  return !('endTime' in record)
}

/** As a rollback ends what runs. */
function stopped({ codonId }: CodonExecution, endTime: string): Transition<'CodonTransitioned'> {
  return {
    type: 'CodonTransitioned',
    data: {
      codonId,
      to: 'failed',
      endTime,
      exitStatus: { type: 'killed', signal: 'SIGTERM' },
      failureReason: { type: 'unknown', retriable: true, message: 'Stopped by a fork.' },
    },
  }
}
