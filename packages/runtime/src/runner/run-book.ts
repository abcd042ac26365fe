import { type CodonExecution, currentRun, type RunState } from '@weave/protocol'
import type { Journal } from '../journal/index.ts'
import { type Clock, createId } from '../kit/index.ts'
import { type Plan, type Step, start, stepAt } from '../plan/index.ts'
import type { Recorder } from './record.ts'
import { runStarted, runStartedEvent, type StartedFrom } from './run-record.ts'
import { following, lastPassed, threadOf } from './thread.ts'

export interface RunBookOptions {
  readonly plan: Plan
  readonly journal: Journal
  readonly recorder: Recorder
  readonly clock: Clock
}

/** Opening and closing runs, and what the runs so far say about the next step. */
export function createRunBook({ plan, journal, recorder, clock }: RunBookOptions) {
  const run = (): RunState | undefined => currentRun(recorder.state)
  const thread = (): readonly CodonExecution[] => threadOf(recorder.state, run())

  return {
    run,
    thread,
    isOpen: () => run()?.status === 'running',
    open(startedFrom: StartedFrom): void {
      const started = runStarted(createId('run'), clock.now().toISOString(), startedFrom)
      recorder.record(started)
      journal.append('run.started', runStartedEvent(plan, started))
    },
    close(outcome: 'completed' | 'stopped', reason?: string): void {
      const open = run()
      if (open?.status !== 'running') return
      const endTime = clock.now().toISOString()
      const why = reason === undefined ? {} : { reason }
      recorder.record({ type: 'RunCompleted', data: { runId: open.runId, endTime, outcome, ...why } })
    },
    fail(reason: string, codonId: string): void {
      const open = run()
      if (open?.status !== 'running') return
      recorder.record({
        type: 'RunFailed',
        data: { runId: open.runId, endTime: clock.now().toISOString(), reason, codonId },
      })
    },
    /** Where a run that goes on from what there is begins: after the last codon that the plan passed. */
    resumePoint(): StartedFrom {
      const last = run()
      if (!last) return { type: 'fresh' }
      const passed = lastPassed(plan, recorder.state)
      return continuation(last.runId, passed, passed && endCheckpoint(passed))
    },
    /** Where a run that does the last codon again begins: after the codon before it, in the workspace as it was then. */
    redoPoint(): { readonly startedFrom: StartedFrom; readonly sha?: string } {
      const last = thread().at(-1)
      const earlier = thread().findLast(codon => codon.codonId !== last?.codonId)
      const sha = startCheckpoint(earlier, run())
      return {
        startedFrom: continuation(run()?.runId ?? '', earlier, sha),
        ...(sha !== undefined && { sha }),
      }
    },
    /** The version of the workspace that a codon began with. */
    startOf(step: Step): string | undefined {
      const earlier = thread().findLast(codon => codon.codonId !== step.runtimeId)
      return startCheckpoint(earlier, run())
    },
    /** The codon after the last one of the thread, whatever became of that. */
    next(): Step | undefined {
      const last = thread().at(-1)
      return stepAt(plan, last ? following(plan, last) : start)
    },
    attemptAt(step: Step): number {
      return (run()?.codons.findLast(codon => codon.codonId === step.runtimeId)?.attempt ?? 0) + 1
    },
  }
}

export type RunBook = ReturnType<typeof createRunBook>

function continuation(
  runId: string,
  after: CodonExecution | undefined,
  checkpoint: string | undefined,
): StartedFrom {
  return {
    type: 'continuation',
    runId,
    ...(after && { codonId: after.codonId }),
    ...(checkpoint !== undefined && { checkpoint }),
  }
}

function startCheckpoint(earlier: CodonExecution | undefined, run: RunState | undefined): string | undefined {
  return (earlier && endCheckpoint(earlier)) ?? run?.initialCheckpoint
}

function endCheckpoint({ checkpoints }: CodonExecution): string | undefined {
  return checkpoints.completed ?? checkpoints.skipped ?? checkpoints.error
}
