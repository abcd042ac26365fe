import type { Transition } from '@weave/protocol'
import type { Clock } from '../kit/index.ts'
import type { Plan, PlannedCodonAt } from '../plan/index.ts'
import type { BudgetWatch } from './budget-watch.ts'
import type { Told } from './narrate.ts'
import type { Ports } from './ports.ts'
import type { Stopper } from './stop.ts'

/** Everything one attempt at a codon works with. It reports through `record` and `tell` and never reads the state. */
export interface CodonTask {
  readonly plan: Plan
  readonly step: PlannedCodonAt
  readonly attempt: number
  readonly withoutRig: boolean
  /** The session that `continue-previous` goes on from. */
  readonly previousSessionId?: string | undefined
  /** Whether an earlier codon exists that a session could have come from. */
  readonly isFirst: boolean
  readonly ports: Ports
  readonly clock: Clock
  readonly stopper: Stopper
  readonly record: (transition: Transition) => void
  readonly tell: (told: Told) => void
  /** Called once when the session is there. */
  readonly begun: (sessionId: string) => void
  readonly budget: BudgetWatch
  /** Whether budgets end the loop after this codon. */
  readonly endsLoopDry: () => boolean
  /** Dollars recorded for this attempt until now. */
  readonly costSoFar: () => number
}
