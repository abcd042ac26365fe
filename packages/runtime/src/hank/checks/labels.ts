import type { PlacedLoop } from '../codons.ts'

/** How every message about a loop begins, as `codonLabel` for codons: `Loop 2 (fix)`. */
export function loopLabel({ loop, number }: PlacedLoop): string {
  return `Loop ${number} (${loop.id})`
}

/** Text of the author inside a message: in quotes, on one line, and short. */
export function quoted(text: string): string {
  return JSON.stringify(clipped(text))
}

/** A path or command as it stands in a message: without quotes, control characters made visible, and short. */
export function shown(text: string): string {
  return quoted(text).slice(1, -1).replaceAll('\\\\', '\\').replaceAll('\\"', '"')
}

/** `$2.5`, `$0.0001`: no more digits than say something. */
export function dollars(amount: number): string {
  return `$${Number(amount.toPrecision(6))}`
}

/** How a message about one codon goes on that is also about others: ` and 3 more codons`. */
export function andMore(more: number): string {
  if (more === 0) return ''
  return more === 1 ? ' and 1 more codon' : ` and ${more} more codons`
}

const longest = 200

function clipped(text: string): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}
