/**
 * The only source of time, so that a test can move it by hand. `now` may jump either way and is for timestamps only;
 * durations come from `monotonic`. None of these throws.
 */
export interface Clock {
  now(): Date
  monotonic(): number
  /** Never earlier than `ms`; `Infinity` waits for the abort, which rejects with `signal.reason`. Keeps the process alive. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Calls `tick`, which must not throw, until the returned function is called. Does not keep the process alive. */
  every(ms: number, tick: () => void): () => void
}

export const systemClock: Clock = {
  now: () => new Date(),
  monotonic,
  sleep,
  every,
}

/** Not `performance.now()`: its first use takes a millisecond, which every start of the program would pay. */
function monotonic(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const abort = () => {
      cancel()
      reject(signal?.reason)
    }
    const cancel = startTimer(ms, () => {
      signal?.removeEventListener('abort', abort)
      resolve()
    })
    signal?.addEventListener('abort', abort, { once: true })
  })
}

function every(ms: number, tick: () => void): () => void {
  const fire = () => {
    cancel = startTimer(ms, fire, { unref: true })
    tick()
  }
  let cancel = startTimer(ms, fire, { unref: true })
  return () => cancel()
}

/** Node turns a longer timeout into one of 1 ms, so a long wait is made of several. */
const longestTimeout = 2 ** 31 - 1

function startTimer(ms: number, fire: () => void, { unref = false } = {}): () => void {
  const deadline = monotonic() + Math.max(0, ms)
  let timeout = arm()
  return () => clearTimeout(timeout)

  function arm(): NodeJS.Timeout {
    const left = Math.ceil(deadline - monotonic())
    const armed = setTimeout(check, Math.min(left, longestTimeout))
    return unref ? armed.unref() : armed
  }

  // A timeout may fire a fraction of a millisecond early.
  function check(): void {
    if (monotonic() < deadline) timeout = arm()
    else fire()
  }
}

export interface Deadline {
  readonly clock: Clock
  readonly ms: number
  readonly signal?: AbortSignal | undefined
}

/** What `work` gives, or `late()` after the deadline or an abort. The signal that `work` was given is aborted in the end. */
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
  const came = () => of.then(() => true)
  return within(deadline, came, () => false)
}

let lastMs = Number.NaN
let lastText = ''

/** Where it is asked for often, it is asked for many times in the same millisecond. */
export function isoTime(time: Date): string {
  const ms = time.getTime()
  if (ms !== lastMs) {
    lastText = time.toISOString()
    lastMs = ms
  }
  return lastText
}
