import type { ExecutionHead, ReportAttempt, SpanList } from 'weave-client'

/** Rows and segments of the timeline, and a scale of time without the waits. Pure. */

export interface Segment {
  readonly from: number
  readonly to: number
  readonly kind: 'rig' | 'agent' | 'tool' | 'waiting' | 'parked' | 'whole'
  readonly seq?: number
  readonly label: string
  readonly isError: boolean
}

export interface TimelineRow {
  readonly key: string
  readonly name: string
  readonly detail: string
  readonly status: ReportAttempt['status']
  readonly isUndone: boolean
  readonly from: number
  readonly to: number
  readonly segments: readonly Segment[]
  readonly attempt: ReportAttempt
  readonly runId: string
}

/** Attempts of one loop are one group, which may be folded. */
export interface TimelineGroup {
  readonly key: string
  readonly loop?: { readonly id: string; readonly iterations: number }
  readonly rows: readonly TimelineRow[]
}

export function timelineOf(
  { runs, live }: Pick<ExecutionHead, 'runs' | 'live'>,
  spans: SpanList | undefined,
  nowMs: number,
): readonly TimelineGroup[] {
  const known = new Map(
    spans?.attempts.map(each => [`${each.runId} ${each.codonId} ${each.attempt}`, each.spans]),
  )
  const groups: { key: string; loop?: { id: string; iterations: number }; rows: TimelineRow[] }[] = []
  for (const [at, run] of runs.entries()) {
    for (const attempt of run.attempts) {
      const from = Date.parse(run.startTime) + attempt.fromMs
      const isAtWork = live && at === runs.length - 1 && attempt === run.attempts.at(-1) && isOpen(attempt)
      const to = isAtWork ? Math.max(nowMs, from) : from + attempt.durationMs
      const row = rowOf(
        { attempt, runId: run.runId, from, to },
        known.get(`${run.runId} ${attempt.codonId} ${attempt.attempt}`),
      )
      const last = groups.at(-1)
      if (attempt.loop && last?.loop?.id === attempt.loop.id) {
        last.rows.push(row)
        last.loop.iterations = Math.max(last.loop.iterations, attempt.loop.iteration + 1)
      } else {
        const loop = attempt.loop && { loop: { id: attempt.loop.id, iterations: attempt.loop.iteration + 1 } }
        groups.push({ key: `${row.key} group`, ...loop, rows: [row] })
      }
    }
  }
  return groups
}

function isOpen({ status }: ReportAttempt): boolean {
  return !['completed', 'failed', 'skipped'].includes(status)
}

interface PlacedAttempt {
  readonly attempt: ReportAttempt
  readonly runId: string
  readonly from: number
  readonly to: number
}

function rowOf(
  { attempt, runId, from, to }: PlacedAttempt,
  spans: SpanList['attempts'][number]['spans'] | undefined,
): TimelineRow {
  const { codonId, codonName, status, isUndone } = attempt
  const whole: Segment = { from, to, kind: 'whole', label: codonName, isError: status === 'failed' }
  const segments = (spans ?? []).map(
    ([start, end, kind, seq, tool, isError]): Segment => ({
      from: start,
      to: end ?? to,
      kind,
      seq,
      label: tool ?? kind,
      isError: isError ?? false,
    }),
  )
  const detail = [
    ...(attempt.attempt > 1 ? [`attempt ${attempt.attempt}`] : []),
    ...(isUndone ? ['rolled back'] : []),
  ]
  return {
    key: `${runId} ${codonId} ${attempt.attempt} ${from}`,
    name: codonId,
    detail: detail.join(', '),
    status,
    isUndone,
    from,
    to,
    segments: [whole, ...segments],
    attempt,
    runId,
  }
}

/** Longer waits than this are cut. */
const longestGapMs = 60_000
/** What a cut takes, as a part of the width. */
const cutPart = 0.015

export interface TimeScale {
  readonly from: number
  readonly to: number
  /** From 0 to 1. */
  readonly placeOf: (ms: number) => number
  readonly timeAt: (part: number) => number
  /** Where time was cut out, and how much. */
  readonly cuts: readonly { readonly part: number; readonly ms: number }[]
}

interface Stretch {
  readonly from: number
  readonly to: number
  readonly isCut: boolean
}

/** A scale over the time in which something went on; longer gaps are all the same narrow width. */
export function scaleOf(
  busy: readonly { readonly from: number; readonly to: number }[],
  range?: { readonly from: number; readonly to: number },
): TimeScale {
  const first = range?.from ?? Math.min(...busy.map(({ from }) => from))
  const last = range?.to ?? Math.max(...busy.map(({ to }) => to))
  const stretches = stretchesOf(busy, first, Math.max(last, first + 1))
  const cuts = stretches.filter(({ isCut }) => isCut)
  const cutWidth = Math.min(cutPart, 0.4 / Math.max(1, cuts.length))
  const shown = stretches.reduce((sum, each) => sum + (each.isCut ? 0 : each.to - each.from), 0)
  const rest = 1 - cutWidth * cuts.length
  let at = 0
  const placed = stretches.map(each => {
    const width = each.isCut ? cutWidth : shown > 0 ? (rest * (each.to - each.from)) / shown : rest
    const start = at
    at += width
    return { ...each, start, width }
  })
  return {
    from: first,
    to: last,
    cuts: placed
      .filter(({ isCut }) => isCut)
      .map(({ start, width, from, to }) => ({ part: start + width / 2, ms: to - from })),
    placeOf(ms) {
      const own = placed.find(({ to }) => ms <= to) ?? placed.at(-1)
      if (!own) return 0
      const part = (ms - own.from) / Math.max(1, own.to - own.from)
      return Math.min(1, Math.max(0, own.start + own.width * Math.min(1, Math.max(0, part))))
    },
    timeAt(part) {
      const own = placed.find(({ start, width }) => part <= start + width) ?? placed.at(-1)
      if (!own) return first
      return own.from + ((part - own.start) / Math.max(1e-9, own.width)) * (own.to - own.from)
    },
  }
}

function stretchesOf(
  busy: readonly { readonly from: number; readonly to: number }[],
  first: number,
  last: number,
): readonly Stretch[] {
  const stretches: Stretch[] = []
  let at = first
  const sorted = [...busy].sort((left, right) => left.from - right.from)
  for (const { from, to } of [...sorted, { from: last, to: last }]) {
    const start = Math.min(from, last)
    if (start - at > longestGapMs) {
      stretches.push({ from: at, to: start, isCut: true })
      at = start
    }
    const end = Math.min(to, last)
    if (end > at) {
      stretches.push({ from: at, to: end, isCut: false })
      at = end
    } else if (start > at) {
      stretches.push({ from: at, to: start, isCut: false })
      at = start
    }
  }
  return stretches.length > 0 ? stretches : [{ from: first, to: last, isCut: false }]
}
