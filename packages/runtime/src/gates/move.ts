import type { PlannedGate } from '../plan/index.ts'
import { type GateBook, passKey, placeKey, type Waiting } from './book.ts'
import { anyCodon, type Place, standsAt } from './place.ts'

/** What a run that stands at a place does because of gates. Pure. */
export type GateMove =
  | { readonly kind: 'pass' }
  /** The question is asked already, by this start or an earlier one. */
  | { readonly kind: 'wait'; readonly waiting: Waiting }
  | { readonly kind: 'ask'; readonly gate: PlannedGate; readonly round: number }
  /** A rejection leads back to where this codon started. */
  | { readonly kind: 'redo'; readonly gateId: string; readonly codonId: string }

/** Gates of the plan first, in their order, then holds. `dropped`: gates that a person left out of this start. */
export function gateMove(
  { gates, dropped }: { readonly gates: readonly PlannedGate[]; readonly dropped: ReadonlySet<string> },
  book: GateBook,
  place: Place,
): GateMove {
  const key = keyOf(place)
  if (book.waiting && placeKey(book.waiting.data) === key) return { kind: 'wait', waiting: book.waiting }
  const rejected = book.rejected?.place === key ? redoAfter(book, gates, book.rejected.gateId) : undefined
  if (rejected) return rejected
  const isOpen = ({ id }: PlannedGate): boolean => !book.passed.has(passKey(id, key)) && !dropped.has(id)
  const gate = [...gates, ...holdsAsGates(book)].find(each => standsAt(each, place) && isOpen(each))
  if (!gate) return { kind: 'pass' }
  return { kind: 'ask', gate, round: (book.rounds.get(gate.id) ?? 0) + 1 }
}

/** The last of the allowed rejections stops the run; then a later start asks anew. */
export function redoAfter(
  { rejections }: GateBook,
  gates: readonly PlannedGate[],
  gateId: string,
): (GateMove & { readonly kind: 'redo' }) | undefined {
  const redo = gates.find(({ id }) => id === gateId)?.redo
  if (!redo || (rejections.get(gateId) ?? 0) > redo.times) return undefined
  return { kind: 'redo', gateId, codonId: redo.from }
}

/** A hold without a place waits at whatever comes next. */
function holdsAsGates({ holds }: GateBook): readonly PlannedGate[] {
  return holds.map(({ gateId, before, after, message }) => ({
    id: gateId,
    ...(message !== undefined && { message }),
    ...(after === undefined ? { before: before ?? anyCodon } : { after }),
  }))
}

export function keyOf({ last }: Place): string {
  if (!last) return 'start'
  const { runId, record } = last
  return placeKey({ runId, codonId: record.codonId, attempt: record.attempt })
}
