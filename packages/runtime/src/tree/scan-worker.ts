import type { DirectoryHints } from './directory-hints.ts'
import { pollAlone, type ScanSchedule } from './schedule.ts'

/** With hints of the system scans come only in case some were lost. */
const pollBesideHints = 5_000
/** Scans for one demand, when files could not be read just now. */
const mostTries = 5

export interface Scanned {
  /** Files that could not be read just now; the next scan finds them. */
  readonly stale: number
  /** Directories that may hold a selected file, each with what tells it from another of the same name. */
  readonly directories: ReadonlyMap<string, string>
}

/** Takes a scan and emits what is new. Rejects when no more can be emitted. */
export type TakeScan = () => Promise<Scanned>

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
export function startScanWorker({ takeScan, onIdle, schedule, hints, signal }: WorkerParts) {
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
    /** Resolves when the baseline is taken. */
    began,
    /** Resolves when no more scans are taken. Never rejects. */
    ended: began.then(work).catch(finish),
    /**
     * A scan that begins after this call: the usual one, as often as needed, or this one, once. `false`: the end came
     * first, or some files could not be read just now. Rejects with what ended the worker.
     */
    demand: (take?: TakeScan) =>
      new Promise<boolean>((resolve, reject) => {
        if (end?.failure) reject(end.failure.error)
        else if (end) resolve(false)
        else {
          demands.push({ take, resolve, reject })
          schedule.demand()
        }
      }),
  }
}
