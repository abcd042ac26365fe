import { useMemo, useRef, useState } from 'preact/hooks'
import { codonStatusWords, dollarsText, durationText, type SpanList } from 'weave-client'
import { executionAddress } from '../addresses.ts'
import { useAnswer } from '../answers.ts'
import { now } from '../clock.ts'
import type { Execution } from '../execution.ts'
import { momentText } from '../moments.ts'
import { Mark } from '../parts/mark.tsx'
import { Notice } from '../parts/small.tsx'
import { go, panelRoute, place, select } from '../place.ts'
import {
  type Segment,
  scaleOf,
  type TimelineGroup,
  type TimelineRow,
  type TimeScale,
  timelineOf,
} from '../timeline-model.ts'

/** A row for each attempt; from the state at once, with tools and waits when they are read. */
export function TimelinePanel({ execution }: { readonly execution: Execution }) {
  const head = execution.head.value
  const { parameters } = place.value
  const codon = parameters['codon'] ?? ''
  const spans = useAnswer<SpanList>(
    executionAddress(execution.name, 'spans', { codon }),
    execution.revision.value,
  )
  if (!head) return null
  const groups = timelineOf(head, spans.value, head.live ? now.value : 0).filter(
    group => codon === '' || group.rows.some(row => row.name === codon),
  )
  const rows = groups.flatMap(group => group.rows)
  if (rows.length === 0) return <Notice>Nothing has run yet.</Notice>
  const waits = new Set(['waiting', 'parked'])
  const busy = rows.flatMap(row => busyOf(row, waits))
  const range = rangeOf(parameters['from'], parameters['to'])
  const scale = scaleOf(busy, range)
  return (
    <section class="panel timeline" aria-label="Timeline">
      <div class="panel-bar">
        <ul class="legend">
          {['rig', 'agent', 'tool', 'waiting', 'parked'].map(kind => (
            <li key={kind} data-kind={kind}>
              {kind}
            </li>
          ))}
        </ul>
        {range && (
          <button
            type="button"
            class="small-button"
            onClick={() => select({ from: undefined, to: undefined })}
          >
            Whole time
          </button>
        )}
        <span class="quiet">Drag over the axis to look closer. Waits over a minute are cut.</span>
      </div>
      <Axis scale={scale} />
      <div class="bars">
        {groups.map(group => (
          <Group key={group.key} group={group} scale={scale} name={execution.name} />
        ))}
      </div>
    </section>
  )
}

function busyOf(row: TimelineRow, waits: ReadonlySet<string>): readonly { from: number; to: number }[] {
  const long = row.segments.filter(({ kind, from, to }) => waits.has(kind) && to - from > 60_000)
  const edges = [row.from, ...long.flatMap(({ from, to }) => [from, to]), row.to]
  return Array.from({ length: edges.length / 2 }, (_, at) => ({
    from: edges[at * 2] ?? 0,
    to: edges[at * 2 + 1] ?? 0,
  }))
}

function rangeOf(from: string | undefined, to: string | undefined): { from: number; to: number } | undefined {
  const [start, end] = [Number(from), Number(to)]
  return start > 0 && end > start ? { from: start, to: end } : undefined
}

/** The axis, and the brush on it. */
function Axis({ scale }: { readonly scale: TimeScale }) {
  const track = useRef<HTMLDivElement>(null)
  const [brush, setBrush] = useState<readonly [number, number] | undefined>(undefined)
  const partAt = (event: PointerEvent): number => {
    const box = track.current?.getBoundingClientRect()
    return box ? Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)) : 0
  }
  const end = (): void => {
    if (brush && Math.abs(brush[1] - brush[0]) > 0.01) {
      const [left, right] = [Math.min(...brush), Math.max(...brush)]
      select({ from: String(Math.floor(scale.timeAt(left))), to: String(Math.ceil(scale.timeAt(right))) })
    }
    setBrush(undefined)
  }
  return (
    <div class="axis-row" aria-hidden="true">
      <div
        class="axis"
        ref={track}
        onPointerDown={event => {
          event.currentTarget.setPointerCapture(event.pointerId)
          setBrush([partAt(event), partAt(event)])
        }}
        onPointerMove={event => brush && setBrush([brush[0], partAt(event)])}
        onPointerUp={end}
      >
        {[0, 0.25, 0.5, 0.75, 1].map(part => (
          <span key={part} class="tick" style={{ '--at': `${part * 100}%` }}>
            {momentText(scale.timeAt(part), 'time')}
          </span>
        ))}
        {scale.cuts.map(cut => (
          <span
            key={cut.part}
            class="cut"
            style={{ '--at': `${cut.part * 100}%` }}
            title={`${durationText(cut.ms)} cut`}
          />
        ))}
        {brush && (
          <span
            class="brush"
            style={{
              '--at': `${Math.min(...brush) * 100}%`,
              '--long': `${Math.abs(brush[1] - brush[0]) * 100}%`,
            }}
          />
        )}
      </div>
    </div>
  )
}

interface GroupProps {
  readonly group: TimelineGroup
  readonly scale: TimeScale
  readonly name: string
}

function Group({ group, scale, name }: GroupProps) {
  const isLong = group.loop !== undefined && group.loop.iterations > 1
  const [isFolded, setFolded] = useState(isLong && group.rows.length > 8)
  const folded = useMemo(() => (isFolded ? foldedRow(group) : undefined), [isFolded, group.rows.length])
  return (
    <div class="bar-group" data-loop={group.loop !== undefined}>
      {group.loop && (
        <button type="button" class="bar-loop" aria-expanded={!isFolded} onClick={() => setFolded(!isFolded)}>
          <Mark status="loop" label="loop" />
          {group.loop.id} ×{group.loop.iterations}
        </button>
      )}
      {(folded ? [folded] : group.rows).map(row => (
        <Bar key={row.key} row={row} scale={scale} name={name} />
      ))}
    </div>
  )
}

function foldedRow({ rows, loop }: TimelineGroup): TimelineRow | undefined {
  const [first, last] = [rows[0], rows.at(-1)]
  if (!first || !last) return undefined
  const wholes = rows.flatMap(({ segments }) => segments.filter(({ kind }) => kind === 'whole'))
  return {
    ...first,
    key: `${first.key} folded`,
    name: loop?.id ?? first.name,
    detail: `${rows.length} attempts`,
    to: last.to,
    segments: wholes,
    status: last.status,
  }
}

function Bar({
  row,
  scale,
  name,
}: {
  readonly row: TimelineRow
  readonly scale: TimeScale
  readonly name: string
}) {
  const { attempt } = row
  const facts = `${durationText(row.to - row.from)} · ${dollarsText(attempt.cost, { unknown: attempt.isCostUnknown })}`
  const inSight = row.segments.filter(({ from, to }) => to >= scale.from && from <= scale.to)
  return (
    <div class="bar" data-undone={row.isUndone}>
      <span class="bar-name" title={`${attempt.codonName} (${attempt.model})`}>
        <Mark status={row.status} label={codonStatusWords[row.status]} />
        {row.name} <small>{row.detail}</small>
      </span>
      <span class="bar-track">
        {merged(inSight, scale).map(segment => (
          <SegmentButton
            key={`${segment.kind} ${segment.from}`}
            segment={segment}
            scale={scale}
            row={row}
            name={name}
          />
        ))}
      </span>
      <span class="bar-facts">{facts}</span>
    </div>
  )
}

/** Neighbours of one kind that nobody could tell apart are one. */
function merged(segments: readonly Segment[], scale: TimeScale): readonly Segment[] {
  const out: Segment[] = []
  for (const segment of segments) {
    const last = out.at(-1)
    const isNear = last && scale.placeOf(segment.to) - scale.placeOf(last.to) < 0.002
    if (last && isNear && last.kind === segment.kind && last.isError === segment.isError)
      out[out.length - 1] = {
        ...last,
        to: Math.max(last.to, segment.to),
        label: `${last.label.split(' and ')[0]} and more`,
      }
    else out.push(segment)
  }
  return out
}

interface SegmentProps {
  readonly segment: Segment
  readonly scale: TimeScale
  readonly row: TimelineRow
  readonly name: string
}

function SegmentButton({ segment, scale, row, name }: SegmentProps) {
  const from = scale.placeOf(segment.from)
  const style = {
    '--at': `${(from * 100).toFixed(3)}%`,
    '--long': `${((scale.placeOf(segment.to) - from) * 100).toFixed(3)}%`,
  }
  const label = `${segment.label}, ${durationText(segment.to - segment.from)}${segment.isError ? ', failed' : ''}`
  const open = (): void => {
    const parameters = segment.seq === undefined ? { codon: row.name } : { at: String(segment.seq) }
    go(panelRoute(name, 'stream', parameters))
  }
  return (
    <button
      type="button"
      class="segment"
      data-kind={segment.kind}
      data-status={segment.kind === 'whole' ? row.status : undefined}
      data-failed={segment.isError}
      style={style}
      title={label}
      aria-label={`${row.name}: ${label}`}
      onClick={open}
    />
  )
}
