import type { Clock } from '../kit/index.ts'

export interface Limit {
  readonly clock: Clock
  readonly ms: number
  readonly signal?: AbortSignal | undefined
}

/**
 * What `work` gives, or `late()` when it takes longer than the limit. Either way the signal that `work` was given is
 * aborted at the end, so nothing of it goes on. Rejects with the reason of `limit.signal` once that is aborted, and with
 * whatever `work` rejects with.
 */
export async function within<T>(
  limit: Limit,
  work: (signal: AbortSignal) => Promise<T>,
  late: () => T,
): Promise<T> {
  const { clock, ms, signal: outer } = limit
  outer?.throwIfAborted()
  const over = new AbortController()
  const signal = outer ? AbortSignal.any([outer, over.signal]) : over.signal
  try {
    const result = await Promise.race([work(signal), clock.sleep(ms, signal).then(late)])
    outer?.throwIfAborted()
    return result
  } finally {
    over.abort()
  }
}

/** Results in the order of the items, whatever the order in which they come; at most `width` at a time. */
export async function inParallel<T, R>(
  items: readonly T[],
  width: number,
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results = new Map<number, R>()
  const waiting = items.entries()
  const take = async () => {
    for (const [at, item] of waiting) results.set(at, await work(item))
  }
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, take))
  return [...results].sort(([left], [right]) => left - right).map(([, result]) => result)
}
