/** Whose request it is. */
export interface CodonMark {
  /** Runtime id; absent when no codon runs. */
  readonly codonId?: string
  readonly attempt?: number
}
