import { type BudgetBreach, type CodonExecution, currentRun, isLive, type WeaveState } from '@weave/protocol'
import { dueAt, type Ledger, type LeftLoop, ledgerOf, type TimeNotes } from '../budget/index.ts'
import {
  codonAt,
  find,
  type Plan,
  type PlannedCodonAt,
  type Position,
  type RetryRules,
} from '../plan/index.ts'
import { entryOf, following, isPassed } from './lineage.ts'

/** A wait longer than this is announced as parked. */
export const parkedAfterMs = 60_000

/**
 * How long to wait before the next attempt, after `attempt` attempts have failed. Grows from `delayMs` by doubling, up to
 * `maxDelayMs`; what the provider asks for replaces it and has no cap.
 */
export function retryDelay(
  { delayMs, maxDelayMs }: RetryRules,
  attempt: number,
  retryAfterMs?: number,
): number {
  if (retryAfterMs !== undefined) return Math.max(0, retryAfterMs)
  return Math.min(delayMs * 2 ** (attempt - 1), maxDelayMs)
}

/** What the run does next. */
export type Move =
  | {
      readonly kind: 'start'
      readonly at: PlannedCodonAt
      readonly attempt: number
      readonly withoutRig: boolean
      /** Loops before it that were left early, not emitted yet. */
      readonly left?: readonly LeftLoop[]
    }
  /** A failed codon is tried again after a while. */
  | {
      readonly kind: 'retry'
      readonly at: PlannedCodonAt
      readonly attempt: number
      readonly delayMs: number
    }
  /** The plan is done. */
  | { readonly kind: 'finish'; readonly left?: readonly LeftLoop[] }
  /** A codon failed and nothing says to go on. */
  | { readonly kind: 'abort'; readonly codonId: string; readonly retriable: boolean; readonly reason: string }
  /** A codon is at work, or there is no run. */
  | { readonly kind: 'nothing' }

export interface Hints {
  /** What the provider asked for when the last codon failed. */
  readonly retryAfterMs?: number | undefined
  /** What only the journal knows about time. */
  readonly notes?: TimeNotes | undefined
}

/** Reads the plan and the state, never writes. What a person wants at the moment is the runner's business, not this. */
export function decide(plan: Plan, state: WeaveState, hints: Hints = {}): Move {
  const run = currentRun(state)
  if (run?.status !== 'running') return { kind: 'nothing' }
  const last = run.codons.at(-1)
  if (!last) {
    const { position, withoutRig } = entryOf(plan, state, run)
    return startAt(plan, ledgerOf(state, hints.notes), { position, withoutRig })
  }
  if (isLive(last)) return { kind: 'nothing' }
  const position = find(plan, last.codonId)
  const at = position && codonAt(plan, position)
  if (last.status === 'failed' && at && !isPassed(last, at)) return onFailure(at, last, hints)
  return startAt(plan, ledgerOf(state, hints.notes), {
    position: following(plan, last),
    withoutRig: false,
    last,
  })
}

interface Place {
  readonly position: Position
  readonly withoutRig: boolean
  /** The codon before it in this run. */
  readonly last?: CodonExecution
}

/** Whether a codon was stopped at this limit: then everybody knows of it. */
function isBreachOf(record: CodonExecution | undefined, { scope, currency }: BudgetBreach): boolean {
  const known = record && 'budgetExceeded' in record ? record.budgetExceeded : undefined
  return known?.scope === scope && known.currency === currency
}

/** What comes at a place, once loops that have nothing left to spend are passed over. */
function startAt(plan: Plan, ledger: Ledger, { position, withoutRig, last }: Place): Move {
  const ahead = dueAt(plan, ledger, position)
  const news = ahead.left.filter(({ exceeded }) => !isBreachOf(last, exceeded.breach))
  const left = news.length > 0 && { left: news }
  if (!ahead.due) return { kind: 'finish', ...left }
  return { kind: 'start', at: ahead.due.at, attempt: 1, withoutRig, ...left }
}

interface Failed {
  readonly codonId: string
  readonly attempt: number
  readonly failureReason: {
    readonly retriable: boolean
    readonly type: string
    readonly message?: string | undefined
  }
}

function onFailure(
  at: PlannedCodonAt,
  { codonId, attempt, failureReason }: Failed,
  { retryAfterMs }: Hints,
): Move {
  const { onFailure: policy, retry } = at.codon
  const { retriable } = failureReason
  if (policy === 'retry' && retriable && attempt < retry.maxAttempts) {
    return { kind: 'retry', at, attempt: attempt + 1, delayMs: retryDelay(retry, attempt, retryAfterMs) }
  }
  return {
    kind: 'abort',
    codonId,
    retriable,
    reason: `${codonId}: ${failureReason.message ?? failureReason.type}`,
  }
}
