import type { Clock } from '../../../kit/index.ts'

/** How long the provider asks to wait, in milliseconds: as headers or, from Google, in the body of its refusal. */
export function retryAfterOf(
  headers: Pick<Headers, 'get'>,
  body: string,
  clock: Pick<Clock, 'now'>,
): number | undefined {
  const exact = headers.get('retry-after-ms')
  if (exact !== null && isCount(exact)) return Number(exact)
  const plain = headers.get('retry-after')
  if (plain !== null) return fromHeader(plain, clock)
  const seconds = /"retryDelay"\s*:\s*"([\d.]+)s"/.exec(body)?.[1]
  return seconds !== undefined && isCount(seconds) ? Number(seconds) * 1000 : undefined
}

/** Seconds or a date. */
function fromHeader(value: string, clock: Pick<Clock, 'now'>): number | undefined {
  if (isCount(value)) return Number(value) * 1000
  // Without the name of a month it is no date, though a lenient parser takes it for one.
  const date = /[a-z]{3}/i.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - clock.now().getTime())
}

function isCount(text: string): boolean {
  return /^\s*\d+(?:\.\d+)?\s*$/.test(text)
}
