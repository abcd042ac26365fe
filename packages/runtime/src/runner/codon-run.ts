import type { FailureReason, Transition } from '@weave/protocol'
import type { Clock } from '../kit/index.ts'
import type { Plan, PlannedCodonAt } from '../plan/index.ts'
import type { BudgetWatch } from './budget-watch.ts'
import type { Effects, LoadedSentinels, SentinelEnding } from './effects.ts'
import type { NewEvent } from './harness-events.ts'
import type { Stopper } from './stop.ts'

/** Everything one attempt at a codon works with. It reports through `record` and `emit` and never reads the state. */
export interface CodonRun {
  readonly plan: Plan
  readonly at: PlannedCodonAt
  readonly attempt: number
  readonly withoutRig: boolean
  /** The session that `continue-previous` goes on from. */
  readonly previousSessionId?: string | undefined
  /** Whether an earlier codon exists that a session could have come from. */
  readonly isFirst: boolean
  readonly effects: Effects
  readonly clock: Clock
  readonly stopper: Stopper
  readonly record: (transition: Transition) => void
  readonly emit: (event: NewEvent) => void
  /** Whether the next codon would begin by itself. */
  readonly goesOn: (next: PlannedCodonAt) => boolean
  /** Called once when the session is there. */
  readonly begun: (sessionId: string) => void
  readonly budget: BudgetWatch
  /** Whether budgets end the loop after this codon. */
  readonly endsLoopDry: () => boolean
  /** Dollars recorded for this attempt until now. */
  readonly costSoFar: () => number
}

/** The sentinels of one attempt, from the moment in which they are there. */
export interface CodonSentinels {
  /** The failure of the codon when one that it needs cannot be had. */
  load(task: CodonRun, startTime: string): Promise<FailureReason | undefined>
  /** Whatever became of the codon. Does nothing when none was loaded. */
  finish(ending: SentinelEnding): Promise<void>
}

export function createCodonSentinels(): CodonSentinels {
  let loaded: LoadedSentinels | undefined
  return {
    async load({ at, effects, budget }, startTime) {
      loaded = await effects.sentinels.loadSentinels(at, { startTime, onSpent: budget.spentBySentinels })
      if (loaded.ok) return undefined
      const { message, sentinelRefs } = loaded
      return { type: 'sentinel-load-failure', retriable: false, message, sentinelRefs }
    },
    async finish(ending) {
      if (loaded?.ok) await loaded.finish(ending)
    },
  }
}
