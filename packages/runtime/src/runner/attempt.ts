import { currentRun, lineageOf, type WeaveState } from '@weave/protocol'
import { createBudgetGuard, type Exceeded, ledgerOf, mayStart, type TimeNotes } from '../budget/index.ts'
import type { Clock } from '../kit/index.ts'
import type { Plan, PlannedCodonAt } from '../plan/index.ts'
import { emitExceeded, watchBudget } from './budget-watch.ts'
import { type Outcome, runCodon } from './codon.ts'
import type { Move } from './decide.ts'
import type { Effects } from './effects.ts'
import type { NewEvent } from './harness-events.ts'
import { isLoopDry, previousSession } from './lineage.ts'
import { attemptAt } from './resume-point.ts'
import type { Recorder } from './state-recorder.ts'
import type { Stopper } from './stop.ts'

/** An attempt that will be made: asked for by a person, waited for, or next in the plan. */
export interface Attempt {
  readonly at: PlannedCodonAt
  readonly attempt: number
  readonly withoutRig: boolean
  /** Gates on the way to it are asked first: nobody named it. */
  readonly gated?: boolean
  /** A person skipped it before it began: it only leaves its record, so that the plan goes on. */
  readonly skipped?: boolean
  /** Nothing is left for it: it only leaves its record. */
  readonly exhausted?: Exceeded | undefined
}

export interface AttemptOptions {
  readonly plan: Plan
  readonly effects: Effects
  readonly recorder: Recorder
  readonly clock: Clock
  readonly times?: (() => TimeNotes) | undefined
  readonly stopper: Stopper
  readonly emit: (event: NewEvent) => void
  /** Called every 30 s while the codon runs. */
  readonly onTick: () => void
  readonly goesOn: (next: PlannedCodonAt) => boolean
}

const tickEvery = 30_000

/** Runs a codon once, with what the state knows that concerns it. Rejects when its end could not be recorded. */
export async function makeAttempt(
  { at, attempt, withoutRig, skipped = false, exhausted }: Attempt,
  { plan, effects, recorder, clock, times = () => ({}), stopper, emit, onTick, goesOn }: AttemptOptions,
): Promise<Outcome> {
  const { state } = recorder
  const continues = at.codon.continuation === 'continue-previous'
  if (skipped) stopper.stop({ kind: 'skip' })
  if (exhausted) {
    emitExceeded(emit, exhausted, at.runtimeId)
    stopper.stop({ kind: 'budget', exceeded: exhausted })
  }
  const stopTicking = clock.every(tickEvery, onTick)
  const guard = createBudgetGuard({ plan, at, ledger: ledgerOf(state, times()), clock })
  const budget = watchBudget({ codonId: at.runtimeId, guard, clock, stopper, emit })
  try {
    return await runCodon({
      plan,
      at,
      attempt,
      withoutRig,
      previousSessionId: continues ? previousSession(state, at.runtimeId) : undefined,
      isFirst: lineageOf(state, currentRun(state)).every(({ codonId }) => codonId === at.runtimeId),
      effects,
      clock,
      stopper,
      record: transition => void recorder.record(transition),
      emit,
      begun: () => undefined,
      budget,
      goesOn,
      endsLoopDry: () =>
        isLoopDry(plan, at, ledgerOf(recorder.state, { ...times(), now: clock.now().getTime() })),
      costSoFar: () => currentRun(recorder.state)?.codons.at(-1)?.cost ?? 0,
    })
  } finally {
    stopTicking()
    budget.close()
  }
}

/**
 * An attempt whose budget is spent does not start, whoever asked for it: it is recorded as completed, or fails the run. A
 * skip costs nothing.
 */
export function admitted(
  { plan, recorder, times }: Pick<AttemptOptions, 'plan' | 'recorder' | 'times'>,
  attempt: Attempt,
): Attempt | (Move & { readonly kind: 'abort' }) {
  const ledger = ledgerOf(recorder.state, times?.())
  const admission = attempt.skipped ? undefined : mayStart(plan, ledger, attempt.at)
  if (!admission || admission.kind === 'start') return attempt
  const { exceeded } = admission
  if (exceeded.onExceeded === 'complete') return { ...attempt, exhausted: exceeded }
  return { kind: 'abort', codonId: attempt.at.runtimeId, retriable: false, reason: exceeded.message }
}

/**
 * A skip leads to the next codon, also when the codon had failed by itself a moment before: then its next attempt is
 * skipped.
 */
export function passedOver(move: Move, at: PlannedCodonAt, state: WeaveState): Attempt | undefined {
  if (move.kind === 'start') return { ...move, gated: true }
  if (move.kind !== 'retry' && move.kind !== 'abort') return undefined
  return { at, attempt: attemptAt(state, at), withoutRig: true, skipped: true }
}
