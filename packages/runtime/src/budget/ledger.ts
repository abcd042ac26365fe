import type { CodonExecution, RunState, WeaveState } from '@weave/protocol'
import type { TimeNotes } from './active-time.ts'
import { noSpend, plus, type Spend, sentinelSpend, spendOf } from './spend.ts'

/**
 * What an execution has spent until now. Nothing is ever taken out again: the money of codons that crashed, were tried
 * again, rolled back or redone stays spent.
 */
export interface Ledger {
  /** Codons of all runs, of the sentinels the money, and what was lost. */
  readonly total: Spend
  readonly sentinelDollars: number
  /** Spent at most on machines that died; nobody knows by which codon. */
  readonly lostDollars: number
  /** By the id of a codon outside of loops, or of a loop with all its iterations. */
  readonly items: ReadonlyMap<string, Spend>
  /** By the id of a loop, then of a codon in it with all its iterations. */
  readonly inLoops: ReadonlyMap<string, ReadonlyMap<string, Spend>>
  /**
   * By runtime id, what counts against a codon's own caps: every attempt since it was last done or stopped by a budget. A
   * retry, a crash or a shutdown does not give a codon its caps anew; a person who has it done once more does.
   */
  readonly underway: ReadonlyMap<string, Spend>
}

/** Before the first codon. */
export const emptyLedger: Ledger = noSums(0)

/** Everything that a state says was spent. `notes`: what only the journal knows. */
export function ledgerOf(state: WeaveState, notes: TimeNotes = {}): Ledger {
  const count = state.runs.reduce((sum, run) => sum + run.codons.length, 0)
  const settled = settledIn(state, notes)
  for (const { record, run } of placesIn(state, settled.records.length, count - unsettled)) {
    settled.records.push(record)
    enter(settled.sums, record, spendOf(record, run, notes))
  }
  const sums = copyOf(settled.sums)
  for (const { record, run } of placesIn(state, settled.records.length, count))
    enter(sums, record, spendOf(record, run, notes))
  return sums
}

/** The id that a codon has in the plan. */
export function plannedId({ codonId, loopContext }: CodonExecution): string {
  return loopContext ? codonId.slice(0, -`#${loopContext.iteration}`.length) : codonId
}

/** How many records at the end may still change: the codon at work, and those whose last costs come late. */
const unsettled = 16

/**
 * Sums of all records before the last ones, so that the hundredth codon costs no more time than the ten thousandth. A state is
 * never changed in place: as long as the records are the same ones, so are their sums.
 */
interface Settled {
  readonly records: CodonExecution[]
  readonly notes: NotesUsed
  readonly sums: Sums
}

/** By the first record of an execution. */
const settledBefore = new WeakMap<CodonExecution, Settled>()

function settledIn(state: WeaveState, notes: TimeNotes): Settled {
  const first = state.runs.find(run => run.codons.length > 0)?.codons[0]
  const known = first && settledBefore.get(first)
  if (known && isStill(known, state, notes)) return known
  const settled = { records: [], notes: notesUsed(notes), sums: noSums(notes.lostDollars ?? 0) }
  if (first) settledBefore.set(first, settled)
  return settled
}

function isStill({ records, notes: before }: Settled, state: WeaveState, notes: TimeNotes): boolean {
  const now = notesUsed(notes)
  if (now.some((value, index) => value !== before[index])) return false
  let at = 0
  for (const run of state.runs) {
    for (const record of run.codons) {
      if (at === records.length) return true
      if (records[at++] !== record) return false
    }
  }
  return at === records.length
}

type NotesUsed = readonly unknown[]

/** What the time and the money of codons that have ended depend on besides them. The lists only ever grow. */
function notesUsed({ parked, lastActivity, lostDollars }: TimeNotes): NotesUsed {
  return [parked, parked?.length, lastActivity, lastActivity?.size, lostDollars]
}

/** The records from one place to another over all runs. */
function* placesIn(state: WeaveState, from: number, to: number): Iterable<Place> {
  let before = 0
  for (const run of state.runs) {
    for (const record of run.codons.slice(Math.max(0, from - before), Math.max(0, to - before)))
      yield { record, run }
    before += run.codons.length
  }
}

interface Place {
  readonly record: CodonExecution
  readonly run: RunState
}

interface Sums extends Ledger {
  total: Spend
  sentinelDollars: number
  readonly items: Map<string, Spend>
  readonly inLoops: Map<string, Map<string, Spend>>
  readonly underway: Map<string, Spend>
}

function noSums(lostDollars: number): Sums {
  const total = { ...noSpend, dollars: lostDollars }
  return {
    total,
    sentinelDollars: 0,
    lostDollars,
    items: new Map(),
    inLoops: new Map(),
    underway: new Map(),
  }
}

function copyOf(sums: Sums): Sums {
  const inLoops = new Map([...sums.inLoops].map(([id, book]) => [id, new Map(book)]))
  return { ...sums, items: new Map(sums.items), inLoops, underway: new Map(sums.underway) }
}

/** Adds one record, which comes after all that were added before. */
function enter(sums: Sums, record: CodonExecution, spend: Spend): void {
  const { codonId, loopContext } = record
  addTo(sums.items, loopContext?.loopId ?? codonId, spend)
  if (loopContext) addTo(bookOf(sums.inLoops, loopContext.loopId), plannedId(record), spend)
  if (isDone(record)) sums.underway.delete(codonId)
  else addTo(sums.underway, codonId, spend)
  const observed = sentinelSpend(record)
  sums.sentinelDollars += observed.dollars
  sums.total = plus(plus(sums.total, spend), observed)
}

function isDone(record: CodonExecution): boolean {
  if (record.status === 'completed' || record.status === 'skipped') return true
  return record.status === 'failed' && record.budgetExceeded !== undefined
}

function addTo(book: Map<string, Spend>, key: string, spend: Spend): void {
  book.set(key, plus(book.get(key) ?? noSpend, spend))
}

function bookOf(books: Map<string, Map<string, Spend>>, key: string): Map<string, Spend> {
  const book = books.get(key) ?? new Map<string, Spend>()
  books.set(key, book)
  return book
}
