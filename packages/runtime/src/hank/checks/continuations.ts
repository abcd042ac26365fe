import { codonsOf, type PlacedCodon } from '../codons.ts'
import type { HankFile, Loop } from '../schema.ts'

/** One way in which a `continue-previous` codon comes to continue another. */
export interface Continuation {
  readonly placed: PlacedCodon
  readonly previous: PlacedCodon
  /**
   * `next`: it runs right after. `next-iteration`: it is first in a loop that repeats, and continues the loop's last codon
   * from the second iteration on. `full-context`: the previous codon is the end of a `contextExceeded` loop.
   */
  readonly kind: 'next' | 'next-iteration' | 'full-context'
}

/** In the order of the file. A codon that begins a repeating loop may have two; the first codon of a hank has no `next`. */
export function continuationsOf(hank: HankFile): readonly Continuation[] {
  const codons = codonsOf(hank)
  return codons.flatMap((placed, at) => {
    if (placed.codon.continuationMode !== 'continue-previous') return []
    const before = codons[at - 1]
    const last = lastOfOwnLoop(codons, at)
    return [
      ...(before ? [{ placed, previous: before, kind: kindOf(before, placed) }] : []),
      ...(last ? [{ placed, previous: last, kind: 'next-iteration' as const }] : []),
    ]
  })
}

export function isContextLoop(loop: Loop | undefined): loop is Loop {
  return loop?.terminateOn.type === 'contextExceeded'
}

/** Whether a second iteration may come. */
export function repeats(loop: Loop): boolean {
  return loop.terminateOn.type === 'contextExceeded' || loop.terminateOn.limit > 1
}

function kindOf(before: PlacedCodon, placed: PlacedCodon): Continuation['kind'] {
  return isContextLoop(before.loop) && before.loop !== placed.loop ? 'full-context' : 'next'
}

/** For the first codon of a loop that repeats: the codon that runs before it from the second iteration on. */
function lastOfOwnLoop(codons: readonly PlacedCodon[], at: number): PlacedCodon | undefined {
  const loop = codons[at]?.loop
  if (!loop || !repeats(loop) || codons[at - 1]?.loop === loop) return undefined
  return codons[at + loop.codons.length - 1]
}
