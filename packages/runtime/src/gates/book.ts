import type { EventData, JournaledEvent } from '@weave/protocol'

/**
 * What the journal knows of gates: what is asked, what was answered, what was asked for ahead. Folded from events alone, so
 * that a start after a kill knows what the last one knew.
 */
export interface GateBook {
  /** The question that is open. */
  readonly waiting?: Waiting
  /** A question that a rollback took away and nobody has withdrawn yet. */
  readonly orphan?: Waiting
  /** Holds that the run has not come to, or waits at, oldest first. */
  readonly holds: readonly Hold[]
  /** Which gate may be passed at which attempt. */
  readonly passed: ReadonlySet<string>
  /** How often each gate asked since it was approved last. */
  readonly rounds: ReadonlyMap<string, number>
  /** How often each gate was rejected since it was approved last. */
  readonly rejections: ReadonlyMap<string, number>
  /** A rejection whose consequence is still to come, and where. */
  readonly rejected?: { readonly gateId: string; readonly place: string }
  /** Notes that the next codon is to find. */
  readonly notes: readonly Note[]
  /** The version that was approved last. */
  readonly seen?: string
  /** The decisions on questions, by their `seq`; only the newest. */
  readonly decided: ReadonlyMap<number, Decided>
  /** Counts the holds of the execution. */
  readonly armed: number
}

export interface Waiting {
  readonly seq: number
  readonly since: string
  readonly data: EventData<'gate.waiting'>
}

export type Hold = Pick<EventData<'gate.armed'>, 'gateId' | 'before' | 'after' | 'message'>

export interface Note {
  readonly gateId: string
  readonly time: string
  readonly decision: EventData<'gate.decided'>['decision']
  readonly text: string
}

export interface Decided {
  readonly time: string
  readonly data: EventData<'gate.decided'>
}

export const emptyBook: GateBook = {
  holds: [],
  passed: new Set(),
  rounds: new Map(),
  rejections: new Map(),
  notes: [],
  decided: new Map(),
  armed: 0,
}

/** The types that matter; all others leave the book as it is. */
export const bookTypes = [
  'gate.armed',
  'gate.waiting',
  'gate.decided',
  'rollback.started',
  'codon.completed',
] as const

export function heard(book: GateBook, { type, seq, timestamp, data }: JournaledEvent): GateBook {
  switch (type) {
    case 'gate.armed':
      return { ...book, holds: [...book.holds, data], armed: book.armed + 1 }
    case 'gate.waiting': {
      const rounds = new Map(book.rounds).set(data.gateId, data.round)
      return { ...without(book, 'rejected'), waiting: { seq, since: timestamp, data }, rounds }
    }
    case 'gate.decided':
      return decide(book, { time: timestamp, data })
    // Nothing that was allowed before holds after it, also when it is cut off and never ends.
    case 'rollback.started': {
      const left = without(without(book, 'waiting'), 'rejected')
      return { ...left, passed: new Set(), ...(book.waiting && { orphan: book.waiting }) }
    }
    case 'codon.completed':
      return data.success && book.notes.length > 0 ? { ...book, notes: [] } : book
    default:
      return book
  }
}

const mostDecided = 1_000

function decide(book: GateBook, decided: Decided): GateBook {
  const { waitingSeq, gateId, decision, note, checkpoint } = decided.data
  const asked = [book.waiting, book.orphan].find(question => question?.seq === waitingSeq)
  const open = withoutQuestion(book, waitingSeq)
  const isOk = decision === 'approved' || decision === 'bypassed'
  const isNo = decision === 'rejected' || decision === 'expired'
  const place = asked && placeKey(asked.data)
  return {
    ...open,
    holds: book.holds.filter(hold => hold.gateId !== gateId || isNo),
    decided: newest(new Map(book.decided).set(waitingSeq, decided)),
    ...(isOk && place !== undefined && { passed: new Set(book.passed).add(passKey(gateId, place)) }),
    ...(isOk && checkpoint !== undefined && { seen: checkpoint }),
    ...(isOk && { rounds: cleared(book.rounds, gateId), rejections: cleared(book.rejections, gateId) }),
    ...(isNo && { rejections: new Map(book.rejections).set(gateId, (book.rejections.get(gateId) ?? 0) + 1) }),
    ...(isNo && place !== undefined && { rejected: { gateId, place } }),
    ...(note !== undefined &&
      note !== '' && { notes: [...book.notes, { gateId, time: decided.time, decision, text: note }] }),
  }
}

function withoutQuestion(book: GateBook, seq: number): GateBook {
  const left = book.waiting?.seq === seq ? without(book, 'waiting') : book
  return left.orphan?.seq === seq ? without(left, 'orphan') : left
}

function without(book: GateBook, key: 'waiting' | 'orphan' | 'rejected'): GateBook {
  const { [key]: _, ...rest } = book
  return rest
}

function cleared(counts: ReadonlyMap<string, number>, id: string): ReadonlyMap<string, number> {
  const left = new Map(counts)
  left.delete(id)
  return left
}

function newest(decided: Map<number, Decided>): Map<number, Decided> {
  const [oldest] = decided.keys()
  if (decided.size > mostDecided && oldest !== undefined) decided.delete(oldest)
  return decided
}

/** The attempt that a question follows, as one word. */
export function placeKey({
  runId,
  codonId,
  attempt,
}: Pick<EventData<'gate.waiting'>, 'runId' | 'codonId' | 'attempt'>): string {
  return codonId === undefined ? 'start' : `${runId ?? ''}/${codonId}/${attempt ?? 1}`
}

export function passKey(gateId: string, place: string): string {
  return `${gateId} ${place}`
}
