import type { Clock } from './clock.ts'

export interface Deadline {
  readonly clock: Clock
  readonly ms: number
  /** Ends the waiting early. */
  readonly signal?: AbortSignal | undefined
}

/**
 * What `work` gives, or `late()` when it takes longer than the deadline or the signal aborts first. Either way the signal
 * that `work` was given is aborted at the end, so nothing of it goes on. Rejects with whatever `work` rejects with in time.
 */
export async function within<T, L = T>(
  { clock, ms, signal: outer }: Deadline,
  work: (signal: AbortSignal) => Promise<T>,
  late: () => L,
): Promise<T | L> {
  const over = new AbortController()
  const signal = outer ? AbortSignal.any([outer, over.signal]) : over.signal
  try {
    return await Promise.race([work(signal), clock.sleep(ms, signal).then(late, late)])
  } finally {
    over.abort()
  }
}

/** Whether it came to pass in time. `of` must not reject. */
export function inTime(of: Promise<unknown>, deadline: Deadline): Promise<boolean> {
  return within(
    deadline,
    () => of.then(() => true),
    () => false,
  )
}
