import { ledgerOf, mayStart } from '../budget/index.ts'
import type { Attempt } from './attempt.ts'
import type { Move } from './decide.ts'
import type { RunnerOptions } from './runner.ts'

/**
 * What becomes of an attempt, whoever asked for it: nothing works that its budgets have nothing left for. It then only
 * leaves its record, or fails the run. A skip costs nothing.
 */
export function admitted(
  { plan, recorder, times }: Pick<RunnerOptions, 'plan' | 'recorder' | 'times'>,
  attempt: Attempt,
): Attempt | (Move & { readonly kind: 'abort' }) {
  const ledger = ledgerOf(recorder.state, times?.())
  const admission = attempt.skipped ? undefined : mayStart(plan, ledger, attempt.step)
  if (!admission || admission.kind === 'start') return attempt
  const { exceeded } = admission
  if (exceeded.onExceeded === 'complete') return { ...attempt, exhausted: exceeded }
  return { kind: 'abort', codonId: attempt.step.runtimeId, retriable: false, reason: exceeded.message }
}
