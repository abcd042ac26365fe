import type { JournaledEvent } from '@weave/protocol'

/** A stretch of time in milliseconds, of any clock. */
export interface Stretch {
  readonly from: number
  readonly until: number
}

/** What a state does not hold about the time in which something was done, and what was lost with a machine. */
export interface TimeNotes {
  /**
   * By run id: the moment (ISO) of the last thing that a crashed run did. Without it nobody knows how long the codon that
   * the crash cut off was at work, and its time counts as none.
   */
  readonly lastActivity?: ReadonlyMap<string, string>
  /** The present in milliseconds since 1970: until then a codon that runs has worked. Without it that counts as none. */
  readonly now?: number
  /**
   * When the run was parked, in milliseconds since 1970: waiting because a provider said so, or standing still because nobody
   * said that it may act.
   */
  readonly parked?: readonly Stretch[]
  /** What was spent at most on machines that died with the record of it. */
  readonly lostDollars?: number
}

/** How much of a stretch is left when other stretches, which may overlap each other, are taken out of it. */
export function activeMs({ from, until }: Stretch, waits: readonly Stretch[]): number {
  let active = 0
  let at = from
  for (const wait of waits.toSorted((left, right) => left.from - right.from)) {
    active += Math.max(0, Math.min(wait.from, until) - at)
    at = Math.max(at, wait.until)
  }
  return active + Math.max(0, until - at)
}

/** Gathers what a state does not hold about time, from the events of a journal. */
export function createTimeBook() {
  const parked: Stretch[] = []
  const lastActivity = new Map<string, string>()
  let latest: string | undefined
  let stoodSince: number | undefined
  return {
    /** Give it the events in order. Needed are `run.parked`, `fleet.waiting`, the crash of a run, and the event before that. */
    heard(event: JournaledEvent): void {
      if (event.type === 'fleet.waiting' && event.data.for === 'engine') {
        const { until } = event.data
        if (until !== undefined && stoodSince !== undefined)
          parked.push({ from: stoodSince, until: Date.parse(until) })
        stoodSince = until === undefined ? Date.parse(event.timestamp) : undefined
      }
      if (event.type === 'run.parked')
        parked.push({ from: Date.parse(event.timestamp), until: Date.parse(event.data.until) })
      const crashed = crashedRun(event)
      // The crash itself was written down by the next server, perhaps days later.
      if (crashed !== undefined && latest !== undefined) lastActivity.set(crashed, latest)
      latest = event.timestamp
    },
    notes: (): TimeNotes => ({ parked, lastActivity }),
  }
}

function crashedRun(event: JournaledEvent): string | undefined {
  if (event.type !== 'state.transition' || event.data.transitionType !== 'RunCrashed') return undefined
  const runId = event.data.transition.data['runId']
  return typeof runId === 'string' ? runId : undefined
}
