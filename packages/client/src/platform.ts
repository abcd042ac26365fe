/**
 * The few things of the platform that this package needs. Browsers and Node both have them; they are declared here
 * because neither set of types is loaded. Everything with a delay takes `Timers`, so that tests move time by hand.
 */
declare function setTimeout(run: () => void, ms: number): unknown
declare function clearTimeout(timer: unknown): void
declare function queueMicrotask(run: () => void): void

export interface Timers {
  /** Runs `run` once after `ms`. The returned function cancels it; calling that late or twice does nothing. */
  readonly after: (ms: number, run: () => void) => () => void
}

export const platformTimers: Timers = {
  after(ms, run) {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
}

/** Throws where nobody catches: the platform reports it as it reports any error. */
export function throwLater(error: unknown): void {
  soon(() => {
    throw error
  })
}

/** Runs `run` when the code that is running now has ended. */
export function soon(run: () => void): void {
  queueMicrotask(run)
}
