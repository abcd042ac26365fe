import { currentRun, lineageOf } from '@weave/protocol'
import { createBudgetGuard, type Exceeded, ledgerOf, type TimeNotes } from '../budget/index.ts'
import type { Clock } from '../kit/index.ts'
import type { Plan, PlannedCodonAt } from '../plan/index.ts'
import { tellExceeded, watchBudget } from './budget-watch.ts'
import { type Outcome, runCodon } from './codon.ts'
import { isLoopDry } from './loop-dry.ts'
import type { Told } from './narrate.ts'
import type { Ports } from './ports.ts'
import type { Recorder } from './record.ts'
import type { Stopper } from './stop.ts'
import { previousSession } from './thread.ts'

/** An attempt that will be made: asked for by a person, waited for, or next in the plan. */
export interface Attempt {
  readonly step: PlannedCodonAt
  readonly attempt: number
  readonly withoutRig: boolean
  /** A person skipped it before it began: it only leaves its record, so that the plan goes on. */
  readonly skipped?: boolean
  /** Nothing is left for it: it only leaves its record. */
  readonly exhausted?: Exceeded | undefined
}

export interface AttemptOptions {
  readonly plan: Plan
  readonly ports: Ports
  readonly recorder: Recorder
  readonly clock: Clock
  readonly times?: (() => TimeNotes) | undefined
  readonly stopper: Stopper
  readonly tell: (told: Told) => void
  /** Called every 30 s while the codon runs. */
  readonly onTick: () => void
}

const tickEvery = 30_000

/** Runs a codon once, with what the state knows that concerns it. Rejects when its end could not be recorded. */
export async function makeAttempt(
  { step, attempt, withoutRig, skipped = false, exhausted }: Attempt,
  { plan, ports, recorder, clock, times = () => ({}), stopper, tell, onTick }: AttemptOptions,
): Promise<Outcome> {
  const { state } = recorder
  const continues = step.codon.continuation === 'continue-previous'
  if (skipped) stopper.stop({ kind: 'skip' })
  if (exhausted) {
    tellExceeded(tell, exhausted, step.runtimeId)
    stopper.stop({ kind: 'budget', exceeded: exhausted })
  }
  const stopTicking = clock.every(tickEvery, onTick)
  const guard = createBudgetGuard({ plan, step, ledger: ledgerOf(state, times()), clock })
  const budget = watchBudget({ codonId: step.runtimeId, guard, clock, stopper, tell })
  try {
    return await runCodon({
      plan,
      step,
      attempt,
      withoutRig,
      previousSessionId: continues ? previousSession(state, step.runtimeId) : undefined,
      isFirst: lineageOf(state, currentRun(state)).every(({ codonId }) => codonId === step.runtimeId),
      ports,
      clock,
      stopper,
      record: transition => void recorder.record(transition),
      tell,
      begun: () => undefined,
      budget,
      endsLoopDry: () =>
        isLoopDry(plan, step, ledgerOf(recorder.state, { ...times(), now: clock.now().getTime() })),
      costSoFar: () => currentRun(recorder.state)?.codons.at(-1)?.cost ?? 0,
    })
  } finally {
    stopTicking()
    budget.close()
  }
}
