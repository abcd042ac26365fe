import type { TokenCounts } from '@weave/protocol'
import type { BudgetGuard, Exceeded } from '../budget/index.ts'
import type { Origin } from '../journal/index.ts'
import type { Clock } from '../kit/index.ts'
import type { NewEvent } from './harness-events.ts'
import type { Stopper } from './stop.ts'
import type { Tally } from './usage.ts'

/** Stops one attempt at the first breach of a budget, and emits that once. */
export interface BudgetWatch {
  /** At every usage report; `turn`: the tokens of the message that is reported. */
  used(tally: Tally, turn: TokenCounts): void
  /** What the sentinels of the codon have cost in all; `isKnown`: in full. */
  spentBySentinels(dollars: number, isKnown: boolean): void
  /** An unknown amount was spent: emitted once, where dollars are limited. */
  costUnknown(why: string): void
  /** The provider makes the agent wait; that time does not count. */
  parked(ms: number): void
  close(): void
}

export interface BudgetWatchOptions {
  readonly codonId: string
  readonly guard: BudgetGuard
  readonly clock: Clock
  readonly stopper: Stopper
  readonly emit: (event: NewEvent) => void
}

const lookEvery = 1_000

export function watchBudget({ codonId, guard, clock, stopper, emit }: BudgetWatchOptions): BudgetWatch {
  const act = (exceeded: Exceeded | undefined, origin?: Origin): void => {
    if (!exceeded || stopper.reason) return
    emitExceeded(event => emit({ ...event, origin }), exceeded, codonId)
    stopper.stop({ kind: 'budget', exceeded })
  }
  let isWarned = false
  const warnUnknown = (why: string, origin?: Origin): void => {
    if (isWarned || !guard.limitsDollars) return
    isWarned = true
    const message = `${why}: the cost is unknown, and the dollar limit on ${codonId} holds for the known part only.`
    emit({ type: 'error', data: { message, codon: codonId, fatal: false, severity: 'warning' }, origin })
  }
  const close = clock.every(lookEvery, () => act(guard.tick()))
  return {
    used: ({ cost, tokens }, turn) => act(guard.usage({ cost, tokens, turn })),
    spentBySentinels(dollars, isKnown) {
      if (!isKnown) warnUnknown('What its sentinels have used is not known in full', 'sentinel')
      act(guard.sentinels(dollars), 'sentinel')
    },
    costUnknown: why => warnUnknown(why),
    parked: guard.parked,
    close,
  }
}

/** Twice: `budget.exceeded` is an extension, and clients that know only the 27 events must learn of it, too. */
export function emitExceeded(
  emit: BudgetWatchOptions['emit'],
  { breach, onExceeded, message, share }: Exceeded,
  codonId: string,
): void {
  emit({
    type: 'budget.exceeded',
    data: { ...breach, codonId, onExceeded, ...(share !== undefined && { share }) },
  })
  emit({ type: 'info', data: { message } })
}
