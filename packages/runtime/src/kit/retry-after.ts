/** In milliseconds, by the headers of a refusal. `header`: the value under a name in lower case. */
export function retryAfterOf(
  header: (name: string) => string | null | undefined,
  now: Date,
): number | undefined {
  const exact = header('retry-after-ms') ?? ''
  if (isCount(exact)) return Number(exact)
  const plain = header('retry-after') ?? ''
  if (isCount(plain)) return 1_000 * Number(plain)
  // Without the name of a month it is no date, though a lenient parser takes it for one.
  const date = /[a-z]{3}/i.test(plain) ? Date.parse(plain) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - now.getTime())
}

function isCount(text: string): boolean {
  return /^\s*\d+(?:\.\d+)?\s*$/.test(text)
}
