import { type EventWindow, eventWindow, type ServerEvent } from 'weave-client'
import { type VirtualList, virtualList } from '../parts/virtual-list.ts'
import { type EventsInSight, openEvents } from './events-in-sight.ts'
import { preferences } from './preferences.ts'
import type { StreamFilter } from './stream-filter.ts'
import { streamRow } from './stream-rows.ts'

const { eventOfRow, newRows, rowCount, rowOfSeq, seqOfRow } = eventWindow

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
  readonly hearing: (isHearing: boolean) => void
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
  const sight = createSight(options)
  const { list, events, choose } = sight
  const take = (seq: number): void => {
    choose(seq)
    options.onChoose(seq)
  }
  const move = (rows: number): void => {
    const window = events.window()
    const chosen = sight.chosen()
    const from = chosen === undefined ? list.range().end : rowOfSeq(window, chosen)
    if (rows < 0) events.follow(false)
    take(seqOfRow(window, Math.min(Math.max(0, from + rows), rowCount(window) - 1)))
  }
  list.node.addEventListener('click', event => {
    const row = event.target instanceof Element ? event.target.closest('[data-seq]') : null
    const seq = Number(row?.getAttribute('data-seq'))
    if (!row || !(seq > 0)) return
    events.follow(false)
    take(seq)
  })
  return {
    node: list.node,
    hear: events.hear,
    hearing: events.hearing,
    choose,
    follow: sight.follow,
    redraw: list.refresh,
    key(key) {
      if (key === 'end') return sight.follow()
      if (key === 'home') {
        events.follow(false)
        return list.goTo(0, 'start')
      }
      if (key === 'page-up') return list.move(-list.node.clientHeight * pagePart)
      if (key === 'page-down') return list.move(list.node.clientHeight * pagePart)
      return move(key === 'open' ? 0 : key === 'up' ? -1 : 1)
    },
    close() {
      events.close()
      list.close()
    },
  }
}

/** A page keeps a little of the one before. */
const pagePart = 0.92

interface Sight {
  readonly list: VirtualList
  readonly events: EventsInSight
  readonly chosen: () => number | undefined
  readonly choose: (seq: number | undefined) => void
  readonly follow: () => void
}

function createSight({ name, filter, at, onFacts }: StreamOptions): Sight {
  const remembered = `${name} ${JSON.stringify(filter)}`
  let chosen = at
  let problem: string | undefined
  /** Where to go as soon as it is there. */
  let target = at ?? leftAt.get(remembered)
  let scheduled = false

  const list = virtualList({
    label: 'Events',
    role: 'table',
    draw: row => drawRow(events.window(), row, chosen),
    keyOf: row => rowKey(events.window(), row, chosen),
    onRange({ first, end, atEnd }, byPerson) {
      if (byPerson) {
        events.follow(atEnd)
        leftAt.set(remembered, seqOfRow(events.window(), first))
      }
      events.look({ first, end })
    },
  })
  const show = (): void => {
    scheduled = false
    const window = events.window()
    if (target !== undefined && isThere(window, target)) {
      list.show(rowCount(window))
      list.goTo(rowOfSeq(window, target), 'centre')
      target = undefined
    } else list.show(rowCount(window), window.isFollowing && !isSearching(window) ? 'end' : undefined)
    onFacts(factsOf(window, problem))
  }
  const later = (): void => {
    if (scheduled) return
    scheduled = true
    requestAnimationFrame(show)
  }
  const events = openEvents(
    { name, filter, at: target },
    {
      onChange: later,
      onProblem(message) {
        problem = message
        later()
      },
    },
  )
  if (target === undefined) events.follow(true)
  return {
    list,
    events,
    chosen: () => chosen,
    choose(seq) {
      if (chosen === seq) return
      chosen = seq
      if (seq === undefined) list.show(rowCount(events.window()))
      else list.goTo(rowOfSeq(events.window(), seq), 'nearest')
    },
    follow() {
      leftAt.delete(remembered)
      events.follow(true)
      later()
    },
  }
}

function drawRow(window: EventWindow, row: number, chosen: number | undefined): HTMLElement {
  const seq = seqOfRow(window, row)
  return streamRow({ row, seq, event: eventOfRow(window, row), isChosen: seq === chosen })
}

function rowKey(window: EventWindow, row: number, chosen: number | undefined): string {
  const seq = seqOfRow(window, row)
  return `${seq} ${eventOfRow(window, row) !== undefined} ${seq === chosen} ${preferences.zone.peek()}`
}

/** Whether its row is known: with a filter only when the search has come so far. */
function isThere(window: EventWindow, seq: number): boolean {
  const rows = rowCount(window)
  if (rows === 0) return false
  return seqOfRow(window, rows - 1) >= seq || (window.found?.isComplete ?? true)
}

/** Until everything was found there is no end to go to: the first rows stay in sight. */
function isSearching({ found }: EventWindow): boolean {
  return found !== undefined && !found.isComplete
}

function factsOf(window: EventWindow, problem: string | undefined): StreamFacts {
  return {
    rows: rowCount(window),
    fresh: newRows(window),
    isFollowing: window.isFollowing,
    isSearching: isSearching(window),
    problem,
  }
}
