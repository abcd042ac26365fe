import { currentRun, type RunState } from '@weave/protocol'
import type { Journal } from '../journal/index.ts'
import { type Clock, createId } from '../kit/index.ts'
import type { Plan } from '../plan/index.ts'
import type { Recorder } from './record.ts'
import { runStarted, runStartedEvent, runSummary, type StartedFrom } from './run-record.ts'

export interface RunBookOptions {
  readonly plan: Plan
  readonly journal: Journal
  readonly recorder: Recorder
  readonly clock: Clock
}

/** Opens and closes runs. */
export function createRunBook({ plan, journal, recorder, clock }: RunBookOptions) {
  let openedAt = clock.monotonic()

  const openRun = (): RunState | undefined => {
    const run = currentRun(recorder.state)
    return run?.status === 'running' ? run : undefined
  }

  return {
    isOpen: () => openRun() !== undefined,
    open(startedFrom: StartedFrom): void {
      const started = runStarted(createId('run'), clock.now().toISOString(), startedFrom)
      openedAt = clock.monotonic()
      recorder.record(started)
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
      return run && runSummary(run, clock.monotonic() - openedAt)
    },
  }
}

export type RunBook = ReturnType<typeof createRunBook>
