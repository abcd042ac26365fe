import type { CodonExecution, RunState, TokenCounts, WeaveState } from '@weave/protocol'
import { activeMs, type TimeNotes } from './active-time.ts'

/** What was used up. */
export interface Spend {
  /** The known part, when `costUnknown`. */
  readonly dollars: number
  readonly costUnknown: boolean
  /** In which a codon was at work. */
  readonly seconds: number
  readonly tokens: TokenCounts
}

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

const noTokens: TokenCounts = { inputTokens: 0, outputTokens: 0, cacheCreationTokens: 0, cacheReadTokens: 0 }

export const noSpend: Spend = { dollars: 0, costUnknown: false, seconds: 0, tokens: noTokens }

/** Before the first codon. */
export const emptyLedger: Ledger = {
  total: noSpend,
  sentinelDollars: 0,
  lostDollars: 0,
  items: new Map(),
  inLoops: new Map(),
  underway: new Map(),
}

/** Everything that a state says was spent. `notes`: what only the journal knows. */
export function ledgerOf(state: WeaveState, notes: TimeNotes = {}): Ledger {
  const items = new Map<string, Spend>()
  const inLoops = new Map<string, Map<string, Spend>>()
  const underway = new Map<string, Spend>()
  const { lostDollars = 0 } = notes
  let total = { ...noSpend, dollars: lostDollars }
  let sentinelDollars = 0
  for (const run of state.runs) {
    for (const record of run.codons) {
      const spend = spendOf(record, run, notes)
      const { codonId, loopContext } = record
      enter(items, loopContext?.loopId ?? codonId, spend)
      if (loopContext) enter(bookOf(inLoops, loopContext.loopId), plannedId(record), spend)
      if (isDone(record)) underway.delete(codonId)
      else enter(underway, codonId, spend)
      const observed = sentinelSpend(record)
      sentinelDollars += observed.dollars
      total = plus(plus(total, spend), observed)
    }
  }
  return { total, sentinelDollars, lostDollars, items, inLoops, underway }
}

/** The id that a codon has in the plan. */
export function plannedId({ codonId, loopContext }: CodonExecution): string {
  return loopContext ? codonId.slice(0, -`#${loopContext.iteration}`.length) : codonId
}

/** What one attempt used, without its sentinels. */
export function spendOf(record: CodonExecution, run: RunState, notes: TimeNotes): Spend {
  return {
    dollars: record.cost,
    costUnknown: record.costUnknown === true,
    seconds: secondsOf(record, run, notes),
    tokens: record.tokens,
  }
}

export function plus(left: Spend, right: Spend): Spend {
  return {
    dollars: left.dollars + right.dollars,
    costUnknown: left.costUnknown || right.costUnknown,
    seconds: left.seconds + right.seconds,
    tokens: {
      inputTokens: left.tokens.inputTokens + right.tokens.inputTokens,
      outputTokens: left.tokens.outputTokens + right.tokens.outputTokens,
      cacheCreationTokens: left.tokens.cacheCreationTokens + right.tokens.cacheCreationTokens,
      cacheReadTokens: left.tokens.cacheReadTokens + right.tokens.cacheReadTokens,
    },
  }
}

function sentinelSpend({ sentinels = [] }: CodonExecution): Spend {
  return {
    ...noSpend,
    dollars: sentinels.reduce((sum, { cost }) => sum + cost, 0),
    costUnknown: sentinels.some(({ costUnknown }) => costUnknown === true),
  }
}

function secondsOf(record: CodonExecution, run: RunState, notes: TimeNotes): number {
  const from = Date.parse(record.startTime)
  return activeMs({ from, until: endOf(record, run, notes) ?? from }, notes.parked ?? []) / 1000
}

/** Until when a codon is known to have worked, in milliseconds since 1970. */
function endOf(record: CodonExecution, run: RunState, { now, lastActivity }: TimeNotes): number | undefined {
  if (!('endTime' in record)) return now
  const end = Date.parse(record.endTime)
  if (!wasCutOff(record, run)) return end
  const seen = lastActivity?.get(run.runId)
  return seen === undefined ? undefined : Math.min(Date.parse(seen), end)
}

/** A crash ends its codon at the moment in which somebody noticed, which may be days later. */
function wasCutOff(record: CodonExecution & { readonly endTime: string }, run: RunState): boolean {
  return run.status === 'crashed' && record === run.codons.at(-1) && record.endTime === run.endTime
}

function isDone(record: CodonExecution): boolean {
  if (record.status === 'completed' || record.status === 'skipped') return true
  return record.status === 'failed' && record.budgetExceeded !== undefined
}

function enter(book: Map<string, Spend>, key: string, spend: Spend): void {
  book.set(key, plus(book.get(key) ?? noSpend, spend))
}

function bookOf(books: Map<string, Map<string, Spend>>, key: string): Map<string, Spend> {
  const book = books.get(key) ?? new Map<string, Spend>()
  books.set(key, book)
  return book
}
