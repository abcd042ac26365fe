import type { BudgetBreach } from '@weave/protocol'

export type Currency = BudgetBreach['currency']

/** A limit that holds for one attempt at a codon, and what counted against it when the attempt began. */
export interface Meter {
  readonly currency: Currency
  readonly level: 'codon' | 'loop' | 'hank'
  /** As a breach names it: `codon`, `loop:<id>`, `hank`, or the setting the limit came from. */
  readonly scope: string
  readonly limit: number
  readonly used: number
  /** The limit is what the container leaves for this child, and only what the child uses counts against it. */
  readonly isPart: boolean
}

/** Ten times a tenth does not make one in floating point; a limit is reached all the same. */
const rounding = 1e-9

export function isReached(used: number, limit: number): boolean {
  return used >= limit * (1 - rounding)
}

/** An amount for people and records: without the dust of floating point, to a billionth. */
export function tidy(amount: number): number {
  return Number(amount.toFixed(9))
}
