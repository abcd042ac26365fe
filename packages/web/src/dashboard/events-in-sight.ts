import {
  type EventPage,
  type EventWindow,
  eventWindow,
  type ServerEvent,
  type WindowEvent,
  type WindowRows,
} from 'weave-client'
import { type EventsWish, executionAddress, findAddress, firstEventsAddress } from './addresses.ts'
import { type Answer, ask, request } from './host.ts'
import { fitsFilter, isEmptyFilter, type StreamFilter } from './stream-filter.ts'

const {
  emptyWindow,
  following,
  lookedAt,
  rowCount,
  wantedRange,
  withEvents,
  withFound,
  withLastSeq,
  withLiveEvents,
} = eventWindow

/** A window on the journal of an execution, kept filled from the host while somebody looks at it. */
export interface EventsInSight {
  readonly window: () => EventWindow
  /** These rows are in sight: what they lack is asked for. */
  readonly look: (rows: WindowRows) => void
  readonly follow: (isFollowing: boolean) => void
  readonly hear: (events: readonly ServerEvent[]) => void
  readonly close: () => void
}

export interface SightHooks {
  /** There is more to see, or it is somewhere else; at most once for each thing that came. */
  readonly onChange: () => void
  /** Why nothing comes; undefined: it comes again. */
  readonly onProblem: (message: string | undefined) => void
}

/** Requests at a time: what is found lies scattered, and each part of it is a request. */
const mostAtOnce = 4

export function openEvents(wish: EventsWish, hooks: SightHooks): EventsInSight {
  const { name, filter } = wish
  const isFiltered = !isEmptyFilter(filter)
  let window = emptyWindow({ lastSeq: 0, isFiltered })
  const closing = new AbortController()
  const underWay = new Set<number>()
  let rows: WindowRows = { first: 0, end: 0 }
  let direction: 'up' | 'down' = 'down'

  const change = (next: EventWindow): void => {
    const isSeen = next !== window
    window = next
    if (isSeen) hooks.onChange()
  }
  const fill = (): void => {
    let next = window
    while (underWay.size < mostAtOnce && !closing.signal.aborted) {
      const range = wantedRange(next, rows, direction)
      if (!range) return
      // As if it had come, so that the next is another one.
      next = withEvents(next, range, { events: [], isWhole: true })
      if (!underWay.has(range.after)) void fetchRange(range)
    }
  }
  const fetchRange = async (range: { readonly after: number; readonly limit: number }): Promise<void> => {
    underWay.add(range.after)
    const parameters = { after: String(range.after), limit: String(range.limit) }
    const answer = await ask<EventPage>(executionAddress(name, 'events', parameters), closing.signal)
    underWay.delete(range.after)
    if (closing.signal.aborted) return
    hooks.onProblem(answer.ok ? undefined : answer.message)
    if (!answer.ok) return
    // What is newer comes live: rows that it is not there for yet would be asked for again and again, as fast as the host answers.
    const { events, isWhole, lastSeq } = answer.value
    change(withEvents(window, range, { events, isWhole: isWhole && lastSeq > range.after }))
    fill()
  }
  const begin = async (): Promise<void> => {
    const searching = isFiltered ? request(findAddress(wish), closing.signal) : undefined
    const answer = await ask<EventPage>(firstEventsAddress(wish), closing.signal)
    if (closing.signal.aborted) return
    hooks.onProblem(answer.ok ? undefined : answer.message)
    if (!answer.ok) return
    change(withAnswer(window, answer.value))
    if (searching) await readFound(await searching, take)
  }
  const take = (seqs: ArrayLike<number>, isComplete: boolean): void => {
    change(withFound(window, seqs, isComplete))
  }
  void begin()
  return {
    window: () => window,
    look(next) {
      if (next.first !== rows.first) direction = next.first < rows.first ? 'up' : 'down'
      rows = next
      // Nobody draws from the order of the pages.
      window = lookedAt(window, rows)
      fill()
    },
    follow(isFollowing) {
      change(following(window, isFollowing))
    },
    hear(events) {
      const next = withHeard(window, events, filter)
      // What a filter does not let through is not seen.
      if (isFiltered && rowCount(next) === rowCount(window)) window = next
      change(next)
      fill()
    },
    close: () => closing.abort(),
  }
}

function withHeard(window: EventWindow, events: readonly ServerEvent[], filter: StreamFilter): EventWindow {
  const heard = events.flatMap(event => (event.seq === undefined ? [] : [event as WindowEvent]))
  return withLiveEvents(window, heard, event => fitsFilter(event, filter))
}

/** With a page of which only the answer says where it begins. */
function withAnswer(window: EventWindow, { events, lastSeq }: EventPage): EventWindow {
  const known = withLastSeq(window, lastSeq)
  const [first] = events
  if (!first) return known
  const after = first.seq - 1
  return withEvents(known, { after, limit: (events.at(-1)?.seq ?? after) - after }, { events, isWhole: true })
}

type Take = (seqs: ArrayLike<number>, isComplete: boolean) => void

/** Numbers of 32 bits as they are found; a part may end within one. */
async function readFound(answer: Answer<Response>, take: Take): Promise<void> {
  const reader = answer.ok ? answer.value.body?.getReader() : undefined
  if (!reader) return
  let rest = new Uint8Array()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      const bytes = new Uint8Array(rest.length + value.length)
      bytes.set(rest)
      bytes.set(value, rest.length)
      const view = new DataView(bytes.buffer)
      const count = Math.floor(bytes.length / 4)
      take(
        Array.from({ length: count }, (_, at) => view.getUint32(at * 4, true)),
        false,
      )
      rest = bytes.slice(count * 4)
    }
    take([], true)
  } catch {
    // Nobody waits for it any more.
  }
}
