import type { BudgetBreach } from '@weave/protocol'
import type { Plan, PlannedCodonAt } from '../plan/index.ts'
import { type OnExceeded, onExceededOf } from './limits.ts'
import { type Currency, type Meter, tidy } from './meter.ts'

/** A limit that was reached, and what that means for the codon. */
export interface Exceeded {
  readonly breach: BudgetBreach
  readonly onExceeded: OnExceeded
  /** `Budget exceeded: draft has used $1.02 of its $1.` */
  readonly message: string
}

export function exceeded(plan: Plan, step: PlannedCodonAt, { meter, used }: Reading): Exceeded {
  const { currency, limit, scope } = meter
  return {
    breach: { currency, limit: tidy(limit), used: tidy(used), scope },
    onExceeded: onExceededOf(plan, step),
    message: `Budget exceeded: ${sentence(step, { meter, used })}.`,
  }
}

/** A meter and where its hand stands. */
export interface Reading {
  readonly meter: Meter
  readonly used: number
}

function sentence(step: PlannedCodonAt, { meter, used }: Reading): string {
  const { level, scope, isPart, limit, currency } = meter
  const spent = `has used ${plainly[currency](used)} of`
  const whole = withUnit[currency](limit)
  const { loop, codon, runtimeId } = step
  if (level === 'codon') return `${runtimeId} ${spent} its ${whole}`
  if (level === 'loop' && isPart)
    return `${codon.id} ${spent} the ${whole} that ${loopOf(step)} leaves for it`
  if (level === 'loop') return `${loopOf(step)} ${spent} its ${whole}`
  if (isPart) return `${loop ? loopOf(step) : codon.id} ${spent} the ${whole} that the hank leaves for it`
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
