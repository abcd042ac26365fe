/** What was asked in a replay and is not in the recording. For a codon the first one counts: what comes after it follows from it. */
export interface Refusals {
  /** The one that stands against a codon. */
  of(codonId: string | undefined): Promise<string> | undefined
  add(codonId: string | undefined, message: Promise<string>): Promise<string>
  /** The same, and it stands against the codon no more: it has failed by it. */
  take(codonId: string | undefined): Promise<string> | undefined
  /** All that there were. */
  all(): Promise<readonly string[]>
}

export function createRefusals(): Refusals {
  const standing = new Map<string | undefined, Promise<string>>()
  const all: Promise<string>[] = []
  return {
    of: codonId => standing.get(codonId),
    add(codonId, message) {
      const first = standing.get(codonId)
      if (first) return first
      standing.set(codonId, message)
      all.push(message)
      return message
    },
    take(codonId) {
      const message = standing.get(codonId)
      standing.delete(codonId)
      return message
    },
    all: () => Promise.all(all),
  }
}
