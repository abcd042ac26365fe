import type { PlannedCodon, PlannedLoop } from '../plan/index.ts'

/** Parts of a plan as the checks of a hank name them too. */

/** `Codon 2 (draft)`, in a loop `Codon 3.1 (review)`. Places are counted from 0. */
export function codonLabel({ id }: PlannedCodon, item: number, index?: number): string {
  return `Codon ${item + 1}${index === undefined ? '' : `.${index + 1}`} (${id})`
}

/** `Loop 3 (fix)`. */
export function loopLabel({ id }: PlannedLoop, item: number): string {
  return `Loop ${item + 1} (${id})`
}
