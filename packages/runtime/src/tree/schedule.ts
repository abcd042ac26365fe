import type { Clock } from '../kit/index.ts'
import type { DirectoryHints } from './directory-hints.ts'

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

/** On the scale of `monotonic`. Costly scans come rarely, so that scanning never takes more than its part of a core. */
export function dueTime({ hints, lastScan, pollEvery }: ScanTimes): number {
  const { ended, cost } = lastScan
  const poll = ended + Math.max(pollEvery, cost * restWithoutHint)
  if (!hints) return poll
  const burstOver = Math.min(hints.last + quiet, hints.first + longestBurst)
  return Math.min(poll, Math.max(burstOver, ended + cost * restWithHint))
}

export interface ScanSchedule {
  /** Something may have changed. Costs next to nothing, so it may be called for every event of a watcher. */
  hint(): void
  /** A scan is due now, whatever it costs. */
  demand(): void
  readonly isHinted: boolean
  pollEvery(ms: number): void
  /** Resolves when a scan is due. Never rejects. One waiter at a time. */
  wait(): Promise<void>
  /** To be called around every scan: hints that come during it are for the next. */
  begin(): void
  end(): void
}

export function createScanSchedule(clock: Clock): ScanSchedule {
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
    wait,
    hint() {
      const now = clock.monotonic()
      // Later hints only move the end of the burst, which matters when the sleep for the first is over.
      if (!hints) sleep?.abort()
      hints = { first: hints?.first ?? now, last: now }
    },
    demand() {
      demanded = true
      sleep?.abort()
    },
    get isHinted() {
      return hints !== undefined
    },
    pollEvery(ms) {
      pollEvery = ms
    },
    begin() {
      hints = undefined
      demanded = false
      began = clock.monotonic()
    },
    end() {
      const ended = clock.monotonic()
      lastScan = { ended, cost: ended - began }
    },
  }
}

/** Without hints of the system a scan every few seconds; with them only in case some were lost. */
const pollAlone = 2_000
const pollBesideHints = 5_000
/** Scans for one demand, when files were changed between a scan and the reading. */
const mostTries = 5

export interface Scanned {
  /** Files that were changed again before they were read. */
  readonly stale: number
  /** Directories that may hold a selected file, each with what tells it from another of the same name. */
  readonly directories: ReadonlyMap<string, string>
}

/** Takes a scan and emits what is new. Rejects when no more can be emitted. */
export type TakeScan = () => Promise<Scanned>

export interface ScanWorker {
  /** Resolves when the baseline is taken. Rejects with the reason of the signal. */
  readonly began: Promise<void>
  /** Resolves when no more scans are taken. Never rejects. */
  readonly ended: Promise<void>
  /**
   * A scan that begins after this call: the usual one, as often as needed, or this one, once. `false`: the end came first,
   * or files are changed faster than they are read. Rejects with what ended the worker.
   */
  demand(take?: TakeScan): Promise<boolean>
}

export interface WorkerParts {
  readonly takeScan: TakeScan
  /** Reads what a scan left unread, in idle time. */
  readonly onIdle: () => Promise<void>
  readonly schedule: ScanSchedule
  /** Without it nothing is heard between scans. */
  readonly hints: DirectoryHints | undefined
  readonly signal: AbortSignal
}

interface Demand {
  readonly take: TakeScan | undefined
  resolve(isDone: boolean): void
  reject(error: unknown): void
}

/** The only one who takes scans: when one is due, until the signal or a callback that throws ends it. */
export function startScanWorker({ takeScan, onIdle, schedule, hints, signal }: WorkerParts): ScanWorker {
  const demands: Demand[] = []
  let current: readonly Demand[] = []
  let end: { readonly failure?: { readonly error: unknown } } | undefined

  async function round(take: TakeScan, tries: number): Promise<boolean> {
    schedule.begin()
    let scanned = await take()
    for (let again = 1; again < tries && scanned.stale > 0; again++) scanned = await take()
    if (scanned.stale > 0) schedule.hint()
    await listenTo(scanned)
    schedule.end()
    return scanned.stale === 0
  }

  async function listenTo({ directories }: Scanned): Promise<void> {
    if (!hints) return
    const { added } = await hints.follow(directories)
    schedule.pollEvery(hints.isComplete ? pollBesideHints : pollAlone)
    // What happened in a new directory before it was watched, nobody heard.
    if (added) schedule.hint()
  }

  async function work(): Promise<void> {
    for (;;) {
      await onIdle()
      await schedule.wait()
      signal.throwIfAborted()
      current = demands.splice(0)
      const plain = current.filter(({ take }) => !take)
      if (plain.length > 0 || current.length === 0) {
        const isDone = await round(takeScan, plain.length > 0 ? mostTries : 1)
        for (const demand of plain) demand.resolve(isDone)
      }
      for (const { take, resolve } of current) if (take) resolve(await round(take, 1))
      current = []
    }
  }

  function finish(error: unknown): void {
    end = signal.aborted ? {} : { failure: { error } }
    for (const demand of [...current, ...demands.splice(0)]) {
      if (end.failure) demand.reject(error)
      else demand.resolve(false)
    }
  }

  const began = round(takeScan, 1).then(() => undefined)
  return {
    began,
    ended: began.then(work).catch(finish),
    demand: take =>
      new Promise((resolve, reject) => {
        if (end?.failure) reject(end.failure.error)
        else if (end) resolve(false)
        else {
          demands.push({ take, resolve, reject })
          schedule.demand()
        }
      }),
  }
}
