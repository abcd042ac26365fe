import type { PlannedCodonAt } from '../plan/index.ts'
import { type Attempt, type AttemptOptions, makeAttempt } from './attempt.ts'
import type { GateDesk } from './gate-desk.ts'
import type { Input } from './input.ts'

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

interface BeginOptions extends AttemptOptions {
  readonly border?: BorderPorts | undefined
  readonly desk: Pick<GateDesk, 'writeNotes'>
}

/** Makes an attempt, once it is admitted. What only leaves its record costs nothing and asks nobody. */
export async function beginAttempt(attempt: Attempt, options: BeginOptions): Promise<Input> {
  const { border, stopper, desk } = options
  const { at, skipped, exhausted } = attempt
  if (border?.admission && !skipped && !exhausted) {
    const input = await crossing(border.admission, attempt, stopper.signal)
    if (input.word.kind === 'leave') return input
  }
  await desk.writeNotes()
  const outcome = await makeAttempt(attempt, options)
  return { type: 'settled', at, attempt: attempt.attempt, outcome }
}

/** Asks at a border; the answer is an input of the machine. */
export async function crossing(
  port: (step: Step, signal: AbortSignal) => Promise<BorderWord>,
  { at, attempt }: Pick<Attempt, 'at' | 'attempt'>,
  signal: AbortSignal,
): Promise<Input & { type: 'crossed' }> {
  const word = await port({ codonId: at.runtimeId, attempt, model: at.codon.model }, signal)
  return { type: 'crossed', at, word }
}
