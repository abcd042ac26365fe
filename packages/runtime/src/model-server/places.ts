/** How far a rehearsal is: steps that were taken, outputs that were given, each counted by the placeholder key that asked. */
export interface Places {
  taken(key: string): number
  /** Counts what an answer takes. Called before it is sent. */
  take(key: string, steps: number): void
  /** Who has taken anything. */
  all(): ReadonlyMap<string, number>
}

/** Places that are forgotten with the process. */
export function createPlaces(): Places {
  const counts = new Map<string, number>()
  const taken = (key: string) => counts.get(key) ?? 0
  return {
    taken,
    take: (key, steps) => void counts.set(key, taken(key) + steps),
    all: () => counts,
  }
}
