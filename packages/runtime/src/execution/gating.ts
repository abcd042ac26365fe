import type { WeaveState } from '@weave/protocol'
import { type GateBook, gateMove, placeOf } from '../gates/index.ts'
import type { History } from '../journal/index.ts'
import { didYouMean, type Failure, nearestNames, type Refused } from '../kit/index.ts'
import type { Plan } from '../plan/index.ts'
import type { GateEffects, Gating } from '../runner/index.ts'
import { readGateBook } from './gate-book.ts'

export interface GatingOptions {
  readonly dropGates?: readonly string[] | undefined
  readonly onGate?: Gating['onGate']
}

/** What a machine is told of the gates of an execution. */
export async function openGating(
  { dropGates = [], onGate }: GatingOptions,
  history: History,
  effects: GateEffects,
): Promise<Gating> {
  return { book: await readGateBook(history), effects, dropped: new Set(dropGates), onGate }
}

/** All codons are done, and a person has still to say yes. */
export function asksAtTheEnd(plan: Plan, state: WeaveState, book: GateBook): boolean {
  const gates = { gates: plan.gates ?? [], dropped: new Set<string>() }
  return gateMove(gates, book, placeOf(plan, state, undefined)).kind !== 'pass'
}

/** A gate that is left out must be one of those that there are: a slip would leave it standing, or nothing. */
export function unknownGate(
  { gates = [] }: Plan,
  dropped: readonly string[] = [],
): Refused<Failure> | undefined {
  const wrong = dropped.find(name => !gates.some(({ id }) => id === name))
  if (wrong === undefined) return undefined
  const names = gates.map(({ id }) => id)
  return {
    ok: false,
    message: `--no-gate: there is no gate ${wrong}.${didYouMean(nearestNames(wrong, names, 1))}`,
    cure: names.length === 0 ? 'This execution has no gates.' : `Its gates: ${names.join(', ')}.`,
  }
}
