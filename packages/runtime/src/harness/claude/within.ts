import type { Clock } from '../../kit/index.ts'

interface Wait {
  readonly of: Promise<unknown>
  readonly clock: Clock
  /** Ends the waiting early. */
  readonly signal?: AbortSignal
}

/** Whether it came to pass in time. `of` must not reject. */
export async function within(ms: number, { of, clock, signal }: Wait): Promise<boolean> {
  const over = new AbortController()
  const timeout = clock.sleep(ms, signal ? AbortSignal.any([over.signal, signal]) : over.signal).then(
    () => false,
    () => false,
  )
  const inTime = await Promise.race([of.then(() => true), timeout])
  over.abort()
  return inTime
}
