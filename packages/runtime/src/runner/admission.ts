import type { WeaveState } from '@weave/protocol'
import { ledgerOf, mayStart } from '../budget/index.ts'
import type { Plan } from '../plan/index.ts'
import type { Attempt } from './attempt.ts'
import type { Move } from './decide.ts'

/**
 * What becomes of an attempt, whoever asked for it: nothing works that its budgets have nothing left for. It then only
 * leaves its record, or fails the run. A skip costs nothing.
 */
export function admitted(
  plan: Plan,
  state: WeaveState,
  attempt: Attempt,
): Attempt | (Move & { readonly kind: 'abort' }) {
  const admission = attempt.skipped ? undefined : mayStart(plan, ledgerOf(state), attempt.step)
  if (!admission || admission.kind === 'start') return attempt
  const { exceeded } = admission
  if (exceeded.onExceeded === 'complete') return { ...attempt, exhausted: exceeded }
  return { kind: 'abort', codonId: attempt.step.runtimeId, retriable: false, reason: exceeded.message }
}
