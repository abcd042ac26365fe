import type { EventData } from '@weave/protocol'
import type { Clock } from '../kit/index.ts'
import type { PlannedCodonAt } from '../plan/index.ts'

/** An attempt at a codon, for who stands at the borders between codons. */
export interface Step {
  readonly codonId: string
  readonly attempt: number
  readonly model: PlannedCodonAt['codon']['model']
  /** After an attempt: it did not succeed. */
  readonly hasFailed?: boolean
}

/** `leave`: the run ends here in good order, and can be gone on with. */
export type BorderWord = { readonly kind: 'go' } | { readonly kind: 'leave'; readonly reason: string }

export type FleetEventType = 'fleet.turn' | 'fleet.published' | 'fleet.waiting' | 'fleet.rest' | 'fleet.lost'

/** Puts into the journal what became of the execution between codons. */
export type PutOnRecord = <T extends FleetEventType>(type: T, data: EventData<T>) => void

/**
 * Who has a say between codons, such as a fleet that moves executions from machine to machine. Both are awaited, both end
 * soon after the signal aborts, neither rejects for something that can go wrong outside.
 */
export interface BorderPorts {
  /** By which codons are timed, when that is not by the clock of the system: it may stand while they do. */
  readonly clock?: Clock
  /** What earlier starts may have spent without a record. */
  readonly lostDollars?: number
  /** Told once, before anything but the plan of this start is on record, where it may put what it did. */
  readonly opened?: (put: PutOnRecord) => void
  /** Before an attempt: whether it may begin. */
  readonly admission?: (step: Step, signal: AbortSignal) => Promise<BorderWord>
  /** After an attempt, with its end on record and before anything follows from it. */
  readonly handOver?: (step: Step, signal: AbortSignal) => Promise<BorderWord>
}
