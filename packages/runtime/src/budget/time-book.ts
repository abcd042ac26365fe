import type { JournaledEvent } from '@weave/protocol'
import type { Stretch, TimeNotes } from './active-time.ts'

/** Gathers what a state cannot tell about time, from the events of a journal. */
export interface TimeBook {
  /** Give it the events in order. Needed are `run.parked`, the crash of a run, and the event before that. */
  heard(event: JournaledEvent): void
  /** What is known until now. */
  notes(): TimeNotes
}

export function createTimeBook(): TimeBook {
  const parked: Stretch[] = []
  const lastActivity = new Map<string, string>()
  let latest: string | undefined
  return {
    heard(event) {
      if (event.type === 'run.parked')
        parked.push({ from: Date.parse(event.timestamp), until: Date.parse(event.data.until) })
      const crashed = crashedRun(event)
      // The crash itself was written down by the next server, perhaps days later.
      if (crashed !== undefined && latest !== undefined) lastActivity.set(crashed, latest)
      latest = event.timestamp
    },
    notes: () => ({ parked, lastActivity }),
  }
}

function crashedRun(event: JournaledEvent): string | undefined {
  if (event.type !== 'state.transition' || event.data.transitionType !== 'RunCrashed') return undefined
  const runId = event.data.transition.data['runId']
  return typeof runId === 'string' ? runId : undefined
}
