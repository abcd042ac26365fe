import { firstValue, type Header } from './wire/header.ts'

/** How long the provider asks to wait, in milliseconds, from the headers of a refusal. */
export function retryAfterOf(headers: readonly Header[], now: Date): number | undefined {
  const exact = firstValue(headers, 'retry-after-ms')
  if (exact !== undefined && isCount(exact)) return Number(exact)
  const plain = firstValue(headers, 'retry-after')
  if (plain === undefined) return undefined
  if (isCount(plain)) return 1_000 * Number(plain)
  // Without the name of a month it is no date, though a lenient parser takes it for one.
  const date = /[a-z]{3}/i.test(plain) ? Date.parse(plain) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - now.getTime())
}

function isCount(text: string): boolean {
  return /^\d+(?:\.\d+)?$/.test(text)
}
