import { type CodonExecution, isLive } from '@weave/protocol'

/** What several records of codons come to. */

export function iterationOf(codon: CodonExecution): number {
  return codon.loopContext?.iteration ?? 0
}

/** 0 while it runs. */
export function durationOf(codon: CodonExecution): number {
  if (isLive(codon)) return 0
  return Math.max(0, Date.parse(codon.endTime) - Date.parse(codon.startTime))
}

export function sumOf(codons: readonly CodonExecution[], value: (codon: CodonExecution) => number): number {
  return codons.reduce((sum, codon) => sum + value(codon), 0)
}
