import { eventOfRow, newRows, rowCount, rowOfSeq, seqOfRow, type ServerEvent } from 'weave-client'
import { type RowRange, type VirtualList, virtualList } from '../parts/virtual-list.ts'
import { type EventsInSight, openEvents } from './events-in-sight.ts'
import { preferences } from './preferences.ts'
import type { StreamFilter } from './stream-filter.ts'
import { streamRow } from './stream-rows.ts'

/** What stands around the list. */
export interface StreamFacts {
  readonly rows: number
  readonly fresh: number
  readonly isFollowing: boolean
  readonly isSearching: boolean
  readonly problem: string | undefined
}

export interface StreamOptions {
  readonly name: string
  readonly filter: StreamFilter
  /** Where to begin; absent: at the end, following. */
  readonly at: number | undefined
  readonly onFacts: (facts: StreamFacts) => void
  readonly onChoose: (seq: number) => void
}

export interface Stream {
  readonly node: HTMLElement
  readonly hear: (events: readonly ServerEvent[]) => void
  readonly choose: (seq: number | undefined) => void
  readonly key: (key: StreamKey) => void
  readonly follow: () => void
  readonly redraw: () => void
  readonly close: () => void
}

export type StreamKey = 'up' | 'down' | 'page-up' | 'page-down' | 'home' | 'end' | 'open'

/** Where each filter was left: it is there again when the filter comes back. */
const leftAt = new Map<string, number>()

/** The list of events: the window that it shows, the place in it, and whether it follows what is new. */
export function createStream(options: StreamOptions): Stream {
  const { name, filter, onFacts, onChoose } = options
  const remembered = `${name} ${JSON.stringify(filter)}`
  let chosen = options.at
  let problem: string | undefined
  let target = options.at ?? leftAt.get(remembered)
  let scheduled = false

  const draw = (row: number): HTMLElement => {
    const window = events.window()
    const seq = seqOfRow(window, row)
    return streamRow({ row, seq, event: eventOfRow(window, row), isChosen: seq === chosen })
  }
  const keyOf = (row: number): string => {
    const window = events.window()
    const seq = seqOfRow(window, row)
    const has = eventOfRow(window, row) ? 1 : 0
    return `${seq} ${has} ${seq === chosen} ${preferences.zone.peek()}`
  }
  const onRange = ({ first, end, atEnd }: RowRange, byPerson: boolean): void => {
    if (byPerson) {
      events.follow(atEnd)
      leftAt.set(remembered, seqOfRow(events.window(), first))
    }
    events.look({ first, end })
  }
  const list: VirtualList = virtualList({ label: 'Events', role: 'table', draw, keyOf, onRange })
  const show = (): void => {
    scheduled = false
    const window = events.window()
    const rows = rowCount(window)
    const wanted = target
    if (wanted !== undefined && rows > 0 && (seqOfRow(window, rows - 1) >= wanted || (window.found?.isComplete ?? true))) {
      target = undefined
      list.show(rows)
      list.goTo(rowOfSeq(window, wanted), 'centre')
    } else list.show(rows, window.isFollowing ? 'end' : undefined)
    tellFacts()
  }
  const later = (): void => {
    if (scheduled) return
    scheduled = true
    requestAnimationFrame(show)
  }
  const tellFacts = (): void => {
    const window = events.window()
    const isSearching = window.found !== undefined && !window.found.isComplete
    onFacts({ rows: rowCount(window), fresh: newRows(window), isFollowing: window.isFollowing, isSearching, problem })
  }
  const events: EventsInSight = openEvents(name, filter, {
    onChange: later,
    onProblem(message) {
      problem = message
      later()
    },
  })
  const follow = (): void => {
    leftAt.delete(remembered)
    events.follow(true)
    list.show(rowCount(events.window()), 'end')
    tellFacts()
  }
  const choose = (seq: number | undefined): void => {
    if (chosen === seq) return
    chosen = seq
    if (seq !== undefined) list.goTo(rowOfSeq(events.window(), seq), 'nearest')
    else list.show(rowCount(events.window()))
  }
  const move = (rows: number): void => {
    const window = events.window()
    const from = chosen === undefined ? list.range().end : rowOfSeq(window, chosen)
    const next = Math.min(Math.max(0, from + rows), rowCount(window) - 1)
    if (rows < 0) events.follow(false)
    const seq = seqOfRow(window, next)
    choose(seq)
    onChoose(seq)
  }
  list.node.addEventListener('click', event => {
    const row = event.target instanceof Element ? event.target.closest('[data-seq]') : null
    const seq = Number(row?.getAttribute('data-seq'))
    if (!row || !(seq > 0)) return
    events.follow(false)
    choose(seq)
    onChoose(seq)
  })
  if (target === undefined) events.follow(true)
  return {
    node: list.node,
    hear: events.hear,
    choose,
    follow,
    redraw: list.refresh,
    key(key) {
      const page = Math.max(1, Math.floor(list.node.clientHeight / 24) - 1)
      if (key === 'end') return follow()
      if (key === 'home') {
        events.follow(false)
        return list.goTo(0, 'start')
      }
      if (key === 'page-up' || key === 'page-down') return list.move((key === 'page-up' ? -1 : 1) * page * 24)
      if (key === 'open') return chosen === undefined ? move(0) : onChoose(chosen)
      return move(key === 'up' ? -1 : 1)
    },
    close() {
      events.close()
      list.close()
    },
  }
}
