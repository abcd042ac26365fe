/** Which events of a segment are of a type: their numbers, or `many` when there are more than are worth naming. */
export type TypePlaces = Readonly<Record<string, readonly number[] | 'many'>>

const mostNamed = 64

/** The places of the types of a segment, noted line by line. */
export function createTypePlaces(before: TypePlaces = {}) {
  const places = new Map<string, number[] | 'many'>(
    Object.entries(before).map(([type, seqs]) => [type, seqs === 'many' ? seqs : [...seqs]]),
  )
  return {
    add(type: string, seq: number): void {
      const known = places.get(type)
      if (known === 'many') return
      if (known === undefined) places.set(type, [seq])
      else if (known.push(seq) > mostNamed) places.set(type, 'many')
    },
    all: (): TypePlaces => Object.fromEntries(places),
  }
}

/** Also true for `undefined`: whoever wrote an index before there were places of types did not know them. */
export function areTypePlaces(value: unknown): value is TypePlaces | undefined {
  if (value === undefined) return true
  if (typeof value !== 'object' || value === null) return false
  return Object.values(value).every(
    seqs => seqs === 'many' || (Array.isArray(seqs) && seqs.every(Number.isSafeInteger)),
  )
}
