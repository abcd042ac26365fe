import { type Attempt, type AttemptOptions, makeAttempt } from './attempt.ts'
import type { GateDesk } from './gate-desk.ts'
import type { Input } from './input.ts'
import type { BorderPorts, BorderWord, Step } from './ports.ts'

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
  { at, attempt, hasFailed = false }: Pick<Attempt, 'at' | 'attempt'> & Pick<Step, 'hasFailed'>,
  signal: AbortSignal,
): Promise<Input & { type: 'crossed' }> {
  const step = { codonId: at.runtimeId, attempt, model: at.codon.model, ...(hasFailed && { hasFailed }) }
  const word = await port(step, signal)
  return { type: 'crossed', at, word }
}
