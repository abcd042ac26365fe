import { type Plan, type PlannedCodonAt, start } from '../plan/index.ts'
import { emptyLedger } from './ledger.ts'
import type { Currency, Meter } from './meter.ts'
import { metersOf } from './meters.ts'

/**
 * What holds for a codon when the run begins: of each currency the tightest limit, with the scope it comes from; of
 * limits that are equal the nearest. Currencies without a limit are not there.
 */
export function limitsOf(plan: Plan, step: PlannedCodonAt): readonly Meter[] {
  // At the start no child has finished, so none has left anything of its share to another.
  const meters = metersOf(plan, emptyLedger, { ...step, position: start })
  return tightestOf(meters)
}

const currencies = [
  'dollars',
  'seconds',
  'output-tokens',
  'context-tokens',
] as const satisfies readonly Currency[]

/** Of each currency the meter with the lowest limit, the first one of equals. */
function tightestOf(meters: readonly Meter[]): readonly Meter[] {
  return currencies.flatMap(currency => {
    const alike = meters.filter(meter => meter.currency === currency)
    const lowest = Math.min(...alike.map(({ limit }) => limit))
    return alike.filter(({ limit }) => limit === lowest).slice(0, 1)
  })
}

export type OnExceeded = 'complete' | 'fail'

/** What happens to a codon at a limit, whichever it is: the nearest word counts. */
export function onExceededOf({ budget }: Plan, { codon, loop }: PlannedCodonAt): OnExceeded {
  return codon.budget?.onExceeded ?? loop?.budget?.onExceeded ?? budget?.onExceeded ?? 'complete'
}
