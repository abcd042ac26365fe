/** Why a codon was stopped from outside. */
export type StopReason =
  | { readonly kind: 'skip' }
  | { readonly kind: 'force-stop'; readonly reason?: string | undefined }
  | { readonly kind: 'shutdown'; readonly reason?: string | undefined }
  | { readonly kind: 'rollback' }
  | { readonly kind: 'idle'; readonly silentMs: number }

/** One signal for everything a codon does; the first reason wins, later ones change nothing. */
export interface Stopper {
  readonly signal: AbortSignal
  stop(reason: StopReason): void
  readonly reason: StopReason | undefined
}

export function createStopper(): Stopper {
  const controller = new AbortController()
  let first: StopReason | undefined
  return {
    signal: controller.signal,
    stop(reason) {
      if (first) return
      first = reason
      controller.abort(reason)
    },
    get reason() {
      return first
    },
  }
}
