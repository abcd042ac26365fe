import type { BudgetBreach } from '@weave/protocol'
import { after, codonAt, type Plan, type PlannedCodonAt, type Position } from '../plan/index.ts'
import type { Ledger } from './ledger.ts'
import {
  type Currency,
  containerMeters,
  isReached,
  type Meter,
  type OnExceeded,
  onExceededOf,
  ownMeters,
  tidy,
} from './meters.ts'

/** Whether the budgets let an attempt begin, and what is to be done when they do not. */
export type Admission =
  | { readonly kind: 'start' }
  /** The codon is recorded as completed, at no cost, with the breach; the plan goes on. */
  | { readonly kind: 'complete'; readonly exceeded: Exceeded }
  /** The run fails. */
  | { readonly kind: 'fail'; readonly exceeded: Exceeded }
  /** Nothing that is still to come in the loop may spend: the loop is over, and the codon leaves no record. */
  | { readonly kind: 'leave-loop'; readonly exceeded: Exceeded }

/** `ledger`: with all that earlier attempts have spent. Context does not count, since a new attempt begins without any. */
export function mayStart(plan: Plan, ledger: Ledger, at: PlannedCodonAt): Admission {
  const dry = dryContainer(plan, ledger, at)
  const meter = dry ?? ownMeters(ledger, at).find(isUsedUp)
  if (!meter) return { kind: 'start' }
  const found = exceeded(plan, at, { meter, used: meter.used })
  if (onExceededOf(plan, at) === 'fail') return { kind: 'fail', exceeded: found }
  const isOver = dry !== undefined && isLoopOver(plan, ledger, at)
  return { kind: isOver ? 'leave-loop' : 'complete', exceeded: found }
}

/** What comes at a place in the plan. */
export interface Ahead {
  /** The codon that is due, with what its budgets say about it; absent at the end of the plan. */
  readonly due?: {
    readonly at: PlannedCodonAt
    readonly admission: Exclude<Admission, { readonly kind: 'leave-loop' }>
  }
  /** The loops that are left behind on the way there. */
  readonly left: readonly LeftLoop[]
}

/** A loop that is over because of budgets. */
export interface LeftLoop {
  /** The codon of the loop that was due and will not run. */
  readonly at: PlannedCodonAt
  readonly exceeded: Exceeded
}

/** What is due at a place in the plan, once loops that are over are left behind. */
export function dueAt(plan: Plan, ledger: Ledger, position: Position): Ahead {
  const left: LeftLoop[] = []
  for (let next = position; ; next = after(plan, next, { leaveLoop: true })) {
    const at = codonAt(plan, next)
    if (!at) return { left }
    const admission = mayStart(plan, ledger, at)
    if (admission.kind !== 'leave-loop') return { due: { at, admission }, left }
    left.push({ at, exceeded: admission.exceeded })
  }
}

/**
 * Whether a loop ends because of budgets: none of its codons that are still to come, this one included, may spend
 * anything of what the loop and the hank leave. A codon's own caps do not count, they begin anew with each iteration.
 */
export function isLoopOver(plan: Plan, ledger: Ledger, { loop, position }: PlannedCodonAt): boolean {
  if (!loop) return false
  const isLast = position.iteration + 1 === loop.limit
  const first = isLast ? position.index : 0
  return loop.codons.slice(first).every((_, offset) => {
    const at = codonAt(plan, { ...position, index: first + offset })
    return at !== undefined && dryContainer(plan, ledger, at) !== undefined
  })
}

function dryContainer(plan: Plan, ledger: Ledger, at: PlannedCodonAt): Meter | undefined {
  return containerMeters(plan, ledger, at).find(isUsedUp)
}

function isUsedUp({ used, limit }: Meter): boolean {
  return isReached(used, limit)
}

/** A limit that was reached, and what that means for the codon. */
export interface Exceeded {
  readonly breach: BudgetBreach
  readonly onExceeded: OnExceeded
  /** `Budget exceeded: draft has used $1.02 of its $1.` */
  readonly message: string
  /** Of a limit that is part of another one: how many percent of it, or `rest` for what the shares of others leave. */
  readonly share?: number | 'rest'
}

export function exceeded(plan: Plan, at: PlannedCodonAt, { meter, used }: Reading): Exceeded {
  const { currency, limit, scope } = meter
  return {
    breach: { currency, limit: tidy(limit), used: tidy(used), scope },
    onExceeded: onExceededOf(plan, at),
    message: `Budget exceeded: ${sentence(at, { meter, used })}.`,
    ...(meter.isPart && { share: shareOf(plan, at, meter) }),
  }
}

function shareOf({ budget }: Plan, { loop, codon }: PlannedCodonAt, { level }: Meter): number | 'rest' {
  const container = level === 'loop' ? loop?.budget : budget
  const child = level === 'loop' ? codon.id : (loop?.id ?? codon.id)
  const share = container?.shares?.[child]
  return share === undefined ? 'rest' : share * 100
}

/** A meter and where its hand stands. */
interface Reading {
  readonly meter: Meter
  readonly used: number
}

function sentence(at: PlannedCodonAt, { meter, used }: Reading): string {
  const { level, scope, isPart, limit, currency } = meter
  const spent = `has used ${plainly[currency](used)} of`
  const whole = withUnit[currency](limit)
  const { loop, codon, runtimeId } = at
  if (level === 'codon') return `${runtimeId} ${spent} its ${whole}`
  if (level === 'loop' && isPart) return `${codon.id} ${spent} the ${whole} that ${loopOf(at)} leaves for it`
  if (level === 'loop') return `${loopOf(at)} ${spent} its ${whole}`
  if (isPart) return `${loop ? loopOf(at) : codon.id} ${spent} the ${whole} that the hank leaves for it`
  return scope === 'hank'
    ? `the hank ${spent} its ${whole}`
    : `the run ${spent} the ${whole} that ${scope} allows`
}

function loopOf({ loop }: PlannedCodonAt): string {
  return `loop ${loop?.id ?? ''}`
}

type Words = Readonly<Record<Currency, (amount: number) => string>>

const rounded = (amount: number, digits: number): number => Number(amount.toFixed(digits))

const plainly: Words = {
  dollars: amount => `$${rounded(amount, 6)}`,
  seconds: amount => `${rounded(amount, 1)} s`,
  'output-tokens': String,
  'context-tokens': String,
}

const withUnit: Words = {
  ...plainly,
  'output-tokens': amount => `${amount} output tokens`,
  'context-tokens': amount => `${amount} context tokens`,
}
