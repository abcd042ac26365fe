import type { RetryRules } from '../plan/index.ts'

/** A wait longer than this is announced as parked. */
export const parkedAfterMs = 60_000

/**
 * How long to wait before the next attempt, after `attempt` attempts have failed. Grows from `delayMs` by doubling, up to
 * `maxDelayMs`; what the provider asks for replaces it and has no cap.
 */
export function retryDelay(
  { delayMs, maxDelayMs }: RetryRules,
  attempt: number,
  retryAfterMs?: number,
): number {
  if (retryAfterMs !== undefined) return Math.max(0, retryAfterMs)
  return Math.min(delayMs * 2 ** (attempt - 1), maxDelayMs)
}
