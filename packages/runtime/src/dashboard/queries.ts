import type { Query } from './job.ts'

/** A whole number in an address; undefined: it is none, or out of bounds. */
export function wholeIn(
  query: Query,
  name: string,
  { least, most, otherwise }: { readonly least: number; readonly most: number; readonly otherwise: number },
): number | undefined {
  const text = query[name]
  if (text === undefined) return otherwise
  const number = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
  return number >= least && number <= most ? number : undefined
}
