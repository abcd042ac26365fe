import type { PlannedCodonAt } from '../plan/index.ts'

/** An attempt at a codon, for who stands at the borders between codons. */
export interface Step {
  readonly codonId: string
  readonly attempt: number
  readonly model: PlannedCodonAt['codon']['model']
}

/** `leave`: the run ends here in good order, and can be gone on with. */
export type BorderWord = { readonly kind: 'go' } | { readonly kind: 'leave'; readonly reason: string }

/**
 * Who has a say between codons, such as a fleet that moves executions from machine to machine. Both are awaited, both end
 * soon after the signal aborts, neither rejects for something that can go wrong outside.
 */
export interface BorderPorts {
  /** Before an attempt: whether it may begin. */
  readonly admission?: (step: Step, signal: AbortSignal) => Promise<BorderWord>
  /** After an attempt, with its end on record and before anything follows from it. */
  readonly handOver?: (step: Step, signal: AbortSignal) => Promise<BorderWord>
}
