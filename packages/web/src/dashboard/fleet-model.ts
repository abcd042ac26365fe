import type { FleetBatch, FleetState, FleetThrottle } from 'weave-client'
import { grouped } from './grouped.ts'

/** What the pages of a fleet say, from what the host answers. Pure. */

/** The mark and colour of a state, in the order in which people look for them: the same as those of an execution where it is the same. */
export const looks = {
  running: 'running',
  queued: 'new',
  waiting: 'waits',
  succeeded: 'completed',
  failed: 'failed',
  dead: 'crashed',
  cancelled: 'stopped',
} as const satisfies Readonly<Record<FleetState, string>>

const states = Object.keys(looks) as FleetState[]

export interface StateCount {
  readonly state: FleetState
  readonly count: number
}

/** Those that there are, in the order in which people look for them. */
export function countsOf({ counts }: Pick<FleetBatch, 'counts'>): readonly StateCount[] {
  return states.flatMap(state => {
    const count = counts[state] ?? 0
    return count > 0 ? [{ state, count }] : []
  })
}

export function totalOf(batch: Pick<FleetBatch, 'counts'>): number {
  return countsOf(batch).reduce((sum, { count }) => sum + count, 0)
}

const under: ReadonlySet<FleetState> = new Set(['running', 'queued', 'waiting'])

/** How many have come to their end, well or not. */
export function endedOf(batch: Pick<FleetBatch, 'counts'>): number {
  return countsOf(batch).reduce((sum, { state, count }) => sum + (under.has(state) ? 0 : count), 0)
}

export interface Segment extends StateCount {
  /** In hundredths of the bar. */
  readonly from: number
  readonly width: number
}

/** The parts of a bar; one that is there is seen, however small. */
export function segmentsOf(batch: Pick<FleetBatch, 'counts'>): readonly Segment[] {
  const counts = countsOf(batch)
  const least = 1.5
  const total = totalOf(batch)
  const wide = counts.map(({ count }) => Math.max(least, (count / total) * 100))
  const sum = wide.reduce((all, each) => all + each, 0)
  let from = 0
  return counts.map((each, at) => {
    const width = ((wide[at] ?? 0) / sum) * 100
    const segment = { ...each, from, width }
    from += width
    return segment
  })
}

/** `600 requests a minute, 20 codons at once`. */
export function limitsText({ running, rpm, tpm }: FleetThrottle): string {
  const parts = [
    ...(rpm === null ? [] : [`${grouped(rpm)} requests a minute`]),
    ...(tpm === null ? [] : [`${grouped(tpm)} tokens a minute`]),
    ...(running === null ? [] : [`${grouped(running)} codons at once`]),
  ]
  return parts.join(', ') || 'no limits'
}

/** `heard 4 s ago`, `heard 3 min ago`. */
export function silenceText(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  if (whole < 120) return `${whole} s ago`
  if (whole < 7_200) return `${Math.floor(whole / 60)} min ago`
  return whole < 172_800 ? `${Math.floor(whole / 3_600)} h ago` : `${Math.floor(whole / 86_400)} days ago`
}
