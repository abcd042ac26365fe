import type { Clock } from '../kit/index.ts'

/** When the next scan is due. All in milliseconds. */
export interface ScanTimes {
  /** The first and the last sign of change since the last scan began, if there was one. */
  readonly hints: { readonly first: number; readonly last: number } | undefined
  /** When the last scan ended, and how long it took, emitting included. */
  readonly lastScan: { readonly ended: number; readonly cost: number }
  /** Without any sign a scan is due after this. */
  readonly pollEvery: number
}

/** Signs of change come in bursts: wait for the end of one, but not for ever. */
const quiet = 150
const longestBurst = 1_000
/** Parts of the time that scanning may take: one in twenty when nothing is known to happen, one in five otherwise. */
const restWithoutHint = 19
const restWithHint = 4

/** Without hints of the system a scan comes every few seconds. */
export const pollAlone = 2_000

/** On the scale of `monotonic`. Costly scans come rarely, so that scanning never takes more than its part of a core. */
export function dueTime({ hints, lastScan, pollEvery }: ScanTimes): number {
  const { ended, cost } = lastScan
  const poll = ended + Math.max(pollEvery, cost * restWithoutHint)
  if (!hints) return poll
  const burstOver = Math.min(hints.last + quiet, hints.first + longestBurst)
  return Math.min(poll, Math.max(burstOver, ended + cost * restWithHint))
}

export type ScanSchedule = ReturnType<typeof createScanSchedule>

export function createScanSchedule(clock: Clock) {
  let hints: ScanTimes['hints']
  let demanded = false
  let pollEvery = pollAlone
  let began = clock.monotonic()
  let lastScan = { ended: began, cost: 0 }
  let sleep: AbortController | undefined

  async function wait(): Promise<void> {
    while (!demanded) {
      const left = dueTime({ hints, lastScan, pollEvery }) - clock.monotonic()
      if (left <= 0) return
      sleep = new AbortController()
      await clock.sleep(left, sleep.signal).catch(() => undefined)
      sleep = undefined
    }
  }

  return {
    /** Resolves when a scan is due. Never rejects. One waiter at a time. */
    wait,
    /** Something may have changed. Costs next to nothing, so it may be called for every event of a watcher. */
    hint(): void {
      const now = clock.monotonic()
      // Later hints only move the end of the burst, which matters when the sleep for the first is over.
      if (!hints) sleep?.abort()
      hints = { first: hints?.first ?? now, last: now }
    },
    /** A scan is due now, whatever it costs. */
    demand(): void {
      demanded = true
      sleep?.abort()
    },
    get isHinted(): boolean {
      return hints !== undefined
    },
    pollEvery(ms: number): void {
      pollEvery = ms
    },
    /** To be called around every scan: hints that come during it are for the next. */
    begin(): void {
      hints = undefined
      demanded = false
      began = clock.monotonic()
    },
    end(): void {
      const ended = clock.monotonic()
      lastScan = { ended, cost: ended - began }
    },
  }
}
