import fc from 'fast-check'
import { isProof } from './proof.ts'

/** How much of something random or long a test tries: the whole in a proof, otherwise what fits into a little time. */
export interface Sample {
  readonly whole: number
  /** Tried however long it takes. */
  readonly atLeast: number
  readonly ms?: number
}

/** The numbers, from 0, of the cases to try. */
export function* sampleOf({ whole, atLeast, ms = 2_000 }: Sample): Generator<number> {
  const end = performance.now() + ms
  for (let at = 0; at < whole && (isProof || at < atLeast || performance.now() < end); at++) yield at
}

/**
 * Holds a property of fast-check against a sample, and gives its size. What fails prints its seed.
 *
 * Small values come first within a run of fast-check, so that a sample is several runs.
 */
export async function assertSample<Values>(
  property: fc.IRawProperty<Values>,
  { whole, atLeast, ms, ...parameters }: Sample & Pick<fc.Parameters<Values>, 'plugins'>,
): Promise<number> {
  const numRuns = isProof ? whole : Math.min(atLeast, 20)
  const parts = { whole: Math.ceil(whole / numRuns), atLeast: Math.ceil(atLeast / numRuns) }
  let runs = 0
  for (const _ of sampleOf({ ...parts, ...(ms !== undefined && { ms }) })) {
    await fc.assert(property, { ...parameters, numRuns })
    runs += numRuns
  }
  return runs
}

/** In a proof 1, so that everything is tried; otherwise each n-th, beginning anywhere. */
export function eachNth(n: number): { readonly first: number; readonly step: number } {
  return isProof ? { first: 0, step: 1 } : { first: Math.floor(Math.random() * n), step: n }
}
