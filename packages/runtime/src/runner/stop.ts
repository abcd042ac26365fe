import type { Exceeded } from '../budget/index.ts'
import type { Silence } from '../harness/index.ts'

/** Why a codon was stopped from outside. */
export type StopReason =
  | { readonly kind: 'skip' }
  | { readonly kind: 'force-stop'; readonly reason?: string | undefined }
  | { readonly kind: 'shutdown'; readonly reason?: string | undefined }
  | { readonly kind: 'rollback' }
  | ({ readonly kind: 'idle' } & Silence)
  | { readonly kind: 'budget'; readonly exceeded: Exceeded }

/**
 * One signal for everything a codon does; the first reason wins. A budget that completes a codon ends its agent, not what
 * comes after it: for that `afterBudget` is aborted, by the next reason that comes.
 */
export interface Stopper {
  readonly signal: AbortSignal
  readonly afterBudget: AbortSignal
  stop(reason: StopReason): void
  readonly reason: StopReason | undefined
  /** What aborted `afterBudget`. */
  readonly laterReason: StopReason | undefined
}

export function createStopper(): Stopper {
  const controller = new AbortController()
  const later = new AbortController()
  let first: StopReason | undefined
  let firstLater: StopReason | undefined
  return {
    signal: controller.signal,
    afterBudget: later.signal,
    stop(reason) {
      if (reason.kind !== 'budget' && reason.kind !== 'idle') {
        firstLater ??= reason
        later.abort(reason)
      }
      if (first) return
      first = reason
      controller.abort(reason)
    },
    get reason() {
      return first
    },
    get laterReason() {
      return firstLater
    },
  }
}
