import {
  type EventPage,
  type EventWindow,
  eventWindow,
  type ServerEvent,
  type WindowEvent,
  type WindowRows,
} from 'weave-client'
import { type EventsWish, executionAddress, firstEventsAddress } from './addresses.ts'
import { ask } from './host.ts'
import { createSearch, type SearchOptions } from './search.ts'
import { fitsStream, isEmptyFilter } from './stream-filter.ts'

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
  /** Whether all that fits is heard from here on. What came before and was not heard is sought then. */
  readonly hearing: (isHearing: boolean) => void
  readonly close: () => void
}

export interface SightHooks {
  /** There is more to see, or it is somewhere else; at most once for each thing that came. */
  readonly onChange: () => void
  /** Why nothing comes; undefined: it comes again. */
  readonly onProblem: (message: string | undefined) => void
}

export function openEvents(wish: EventsWish, hooks: SightHooks): EventsInSight {
  const { name, filter } = wish
  const isFiltered = !isEmptyFilter(filter)
  const fits = fitsStream(filter)
  let window = emptyWindow({ lastSeq: 0, isFiltered })
  const closing = new AbortController()
  const { signal } = closing

  const change = (next: EventWindow): void => {
    const isSeen = next !== window
    window = next
    if (isSeen) hooks.onChange()
  }
  const onFound: SearchOptions['onFound'] = (seqs, isComplete) => {
    // A person waits for the first search only.
    const isFirst = window.found?.isComplete === false
    change(withFound(window, seqs, isComplete && isFirst))
  }
  const { onProblem } = hooks
  const fetching = createFetching({ name, signal, window: () => window, change, onProblem })
  const search = isFiltered ? createSearch({ wish, signal, onFound }) : undefined
  const begin = async (): Promise<void> => {
    const found = search?.ask()
    const answer = await ask<EventPage>(firstEventsAddress(wish), signal)
    if (signal.aborted) return
    onProblem(answer.ok ? undefined : answer.message)
    if (!answer.ok) return
    change(withAnswer(window, answer.value))
    if (found) await search?.take(found)
  }
  const begun = begin()
  search?.after(begun)
  return {
    window: () => window,
    look(rows) {
      // Nobody draws from the order of the pages.
      window = lookedAt(window, rows)
      fetching.look(rows)
    },
    follow(isFollowing) {
      change(following(window, isFollowing))
    },
    hear(events) {
      const next = withLiveEvents(window, events.filter(isNumbered), fits)
      search?.heard(next.lastSeq)
      // What a filter does not let through is not seen.
      if (isFiltered && rowCount(next) === rowCount(window)) window = next
      change(next)
      fetching.fill()
    },
    hearing: isHearing => search?.hearing(isHearing),
    close: () => closing.abort(),
  }
}

interface FetchingOptions extends Pick<SightHooks, 'onProblem'> {
  readonly name: string
  readonly signal: AbortSignal
  readonly window: () => EventWindow
  readonly change: (next: EventWindow) => void
}

/** Requests at a time: what is found lies scattered, and each part of it is a request. */
const mostAtOnce = 4

/** Asks for what the rows in sight lack. */
function createFetching({ name, signal, window, change, onProblem }: FetchingOptions) {
  const underWay = new Set<number>()
  let rows: WindowRows = { first: 0, end: 0 }
  let direction: 'up' | 'down' = 'down'
  const fill = (): void => {
    let next = window()
    for (let asked = 0; asked < mostAtOnce && underWay.size < mostAtOnce && !signal.aborted; asked++) {
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
    const answer = await ask<EventPage>(executionAddress(name, 'events', parameters), signal)
    underWay.delete(range.after)
    if (signal.aborted) return
    onProblem(answer.ok ? undefined : answer.message)
    if (!answer.ok) return
    // What is newer comes live: rows that it is not there for yet would be asked for again and again, as fast as the host answers.
    const { events, isWhole, lastSeq } = answer.value
    change(withEvents(window(), range, { events, isWhole: isWhole && lastSeq > range.after }))
    fill()
  }
  return {
    fill,
    look(next: WindowRows): void {
      if (next.first !== rows.first) direction = next.first < rows.first ? 'up' : 'down'
      rows = next
      fill()
    },
  }
}

function isNumbered(event: ServerEvent): event is ServerEvent & WindowEvent {
  return event.seq !== undefined
}

/** With a page of which only the answer says where it begins. */
function withAnswer(window: EventWindow, { events, lastSeq }: EventPage): EventWindow {
  const known = withLastSeq(window, lastSeq)
  const [first] = events
  if (!first) return known
  const after = first.seq - 1
  return withEvents(known, { after, limit: (events.at(-1)?.seq ?? after) - after }, { events, isWhole: true })
}
