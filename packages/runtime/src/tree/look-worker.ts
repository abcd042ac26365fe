import type { DirectoryHints } from './directory-hints.ts'
import type { LookSchedule } from './look-schedule.ts'
import type { Taken, WorkspaceLooks } from './workspace-looks.ts'

export interface LookWorker {
  /** Resolves when the baseline is taken. Rejects with the reason of the signal. */
  readonly began: Promise<void>
  /** Resolves when no more looks are taken. Never rejects. */
  readonly ended: Promise<void>
  /** A look that begins after this call. `false`: the end came first, or files are changed faster than they are read. */
  demand(): Promise<boolean>
}

export interface WorkerParts {
  readonly looks: WorkspaceLooks
  readonly schedule: LookSchedule
  /** Without it nothing is heard between looks. */
  readonly hints: DirectoryHints | undefined
  readonly signal: AbortSignal
}

interface Demand {
  resolve(isDone: boolean): void
  reject(error: unknown): void
}

/** Without hints of the system a look every few seconds; with them only in case some were lost. */
export const pollAlone = 2_000
const pollBesideHints = 5_000
/** Looks for one demand, when files were changed between a look and the reading. */
const mostTries = 5

/** The only one who takes looks: when one is due, until the signal or a callback that throws ends it. */
export function startLookWorker({ looks, schedule, hints, signal }: WorkerParts): LookWorker {
  const demands: Demand[] = []
  let asked: readonly Demand[] = []
  let end: { readonly failure?: { readonly error: unknown } } | undefined

  async function round(tries: number): Promise<boolean> {
    schedule.begin()
    let taken = await looks.take()
    for (let again = 1; again < tries && taken.stale > 0; again++) taken = await looks.take()
    if (taken.stale > 0) schedule.hint()
    await listenTo(taken)
    schedule.end()
    return taken.stale === 0
  }

  async function listenTo({ directories }: Taken): Promise<void> {
    if (!hints) return
    const { added } = await hints.follow(directories)
    schedule.pollEvery(hints.isComplete ? pollBesideHints : pollAlone)
    // What happened in a new directory before it was watched, nobody heard.
    if (added) schedule.hint()
  }

  async function work(): Promise<void> {
    for (;;) {
      await looks.fingerprint()
      await schedule.wait()
      signal.throwIfAborted()
      asked = demands.splice(0)
      const isDone = await round(asked.length > 0 ? mostTries : 1)
      for (const demand of asked) demand.resolve(isDone)
      asked = []
    }
  }

  function finish(error: unknown): void {
    end = signal.aborted ? {} : { failure: { error } }
    for (const demand of [...asked, ...demands.splice(0)]) {
      if (end.failure) demand.reject(error)
      else demand.resolve(false)
    }
  }

  const began = round(1).then(() => undefined)
  return {
    began,
    ended: began.then(work).catch(finish),
    demand: () =>
      new Promise((resolve, reject) => {
        if (end?.failure) reject(end.failure.error)
        else if (end) resolve(false)
        else {
          demands.push({ resolve, reject })
          schedule.demand()
        }
      }),
  }
}
