/**
 * A part of a journal that a face looks at: rows by number, events by page. Never changed, bounded, without effects; who
 * holds one asks the host for `wantedRange` and puts in what came.
 *
 * W1 Without a filter row i is the event i + 1, because seqs have no gaps; with one it is the i-th that was found.
 * W2 At most `keptPages` pages are kept; the one that was looked at longest ago goes first.
 * W3 `lastSeq` only grows. A live event goes in only where the one before it is; beyond that only `lastSeq` tells of it.
 */
export interface EventWindow {
  readonly pageSize: number
  readonly keptPages: number
  readonly lastSeq: number
  /** By number; the one that was looked at longest ago first. */
  readonly pages: ReadonlyMap<number, WindowPage>
  /** What a filter found, in order; absent: there is none. */
  readonly found?: { readonly seqs: Uint32Array; readonly isComplete: boolean }
  /** The end is in sight and stays so. */
  readonly isFollowing: boolean
  /** How many rows there were when following ended. */
  readonly rowsSeen: number
}

export interface WindowEvent {
  readonly seq: number
  readonly type: string
  readonly timestamp: string
  readonly data?: unknown
}

export interface WindowPage {
  /** By offset; a hole is an event that the journal lacks. */
  readonly events: readonly (WindowEvent | undefined)[]
  /** The offsets from `from` up to, not including, `known` are known. */
  readonly from: number
  readonly known: number
}

/** Rows `first` up to, not including, `end`. */
export interface WindowRows {
  readonly first: number
  readonly end: number
}

/** What to ask for: events after this seq, so many seqs far. */
export interface WantedRange {
  readonly after: number
  readonly limit: number
}

const whole = { pageSize: 500, keptPages: 40 } as const
/** What is found lies far apart: smaller pages, as many events. */
const scattered = { pageSize: 20, keptPages: 1_000 } as const
/** As many as one answer may hold. */
const mostInAnswer = 500

export function emptyWindow(options: {
  readonly lastSeq: number
  readonly isFiltered: boolean
}): EventWindow {
  const { lastSeq, isFiltered } = options
  return {
    ...(isFiltered ? scattered : whole),
    lastSeq,
    pages: new Map(),
    ...(isFiltered ? { found: { seqs: new Uint32Array(), isComplete: false } } : {}),
    isFollowing: false,
    rowsSeen: 0,
  }
}

export function rowCount({ found, lastSeq }: EventWindow): number {
  return found ? found.seqs.length : lastSeq
}

export function seqOfRow({ found }: EventWindow, row: number): number {
  return found ? (found.seqs[row] ?? 0) : row + 1
}

/** The row of an event, or of the next one that is shown. */
export function rowOfSeq({ found }: EventWindow, seq: number): number {
  if (!found) return Math.max(0, seq - 1)
  let low = 0
  let high = found.seqs.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((found.seqs[middle] ?? 0) < seq) low = middle + 1
    else high = middle
  }
  return low
}

/** Undefined: not here yet, or the journal lacks it. */
export function eventOfSeq(window: EventWindow, seq: number): WindowEvent | undefined {
  const { page, offset } = placeOf(window, seq)
  return window.pages.get(page)?.events[offset]
}

export function eventOfRow(window: EventWindow, row: number): WindowEvent | undefined {
  return eventOfSeq(window, seqOfRow(window, row))
}

/** The first part of what these rows need that is not here; then of one page ahead in the direction of travel. */
export function wantedRange(
  window: EventWindow,
  { first, end }: WindowRows,
  direction: 'up' | 'down' = 'down',
): WantedRange | undefined {
  const rows = rowCount(window)
  const inSight = Array.from({ length: Math.max(0, Math.min(end, rows) - first) }, (_, at) => first + at)
  const ahead = direction === 'up' ? first - window.pageSize / 2 : end + window.pageSize / 2
  const next = Math.min(Math.max(0, Math.floor(ahead)), rows - 1)
  for (const row of rows > 0 ? [...inSight, next] : []) {
    const seq = seqOfRow(window, row)
    if (isKnown(window, seq)) continue
    const range = rangeFor(window, seq)
    return window.found ? { ...range, limit: reachOf(window, range, inSight) } : range
  }
  return undefined
}

/** What is found lies scattered over small pages: one answer brings all rows in sight that it can reach. */
function reachOf(window: EventWindow, { after, limit }: WantedRange, inSight: readonly number[]): number {
  const last = inSight
    .map(row => seqOfRow(window, row))
    .findLast(seq => seq <= after + mostInAnswer && !isKnown(window, seq))
  return Math.max(limit, (last ?? 0) - after)
}

/** What the page of `seq` lacks: before what is known of it, or after. */
function rangeFor(window: EventWindow, seq: number): WantedRange {
  const { page, offset } = placeOf(window, seq)
  const { from = 0, known = 0 } = window.pages.get(page) ?? {}
  if (offset < from) return { after: page * window.pageSize, limit: from }
  const after = page * window.pageSize + known
  const end = Math.min((page + 1) * window.pageSize, window.lastSeq)
  return { after, limit: Math.min(mostInAnswer, Math.max(1, end - after)) }
}

/** With an answer to `range`. One that is not whole reaches to its last event. */
export function withEvents(
  window: EventWindow,
  { after, limit }: WantedRange,
  answer: { readonly events: readonly WindowEvent[]; readonly isWhole: boolean },
): EventWindow {
  const end = answer.isWhole ? Math.min(after + limit, window.lastSeq) : (answer.events.at(-1)?.seq ?? after)
  const bySeq = new Map(answer.events.map(event => [event.seq, event]))
  const pages = new Map(window.pages)
  for (let at = after; at < end; ) {
    const { page, offset } = placeOf(window, at + 1)
    const size = Math.min(window.pageSize - offset, end - at)
    const first = at + 1
    const grown = merged(pages.get(page), offset, { size, eventAt: each => bySeq.get(first + each) })
    pages.delete(page)
    pages.set(page, grown)
    at += size
  }
  return bounded({ ...window, pages })
}

/** A page knows one stretch: what does not touch it takes its place. */
function merged(
  old: WindowPage | undefined,
  from: number,
  { size, eventAt }: { readonly size: number; readonly eventAt: (each: number) => WindowEvent | undefined },
): WindowPage {
  const known = from + size
  const kept = old && from <= old.known && known >= old.from ? old : { events: [], from, known }
  const events = [...kept.events]
  for (let each = 0; each < size; each++) events[from + each] = eventAt(each)
  return { events, from: Math.min(kept.from, from), known: Math.max(kept.known, known) }
}

/** With events that were heard live, in order; `fits`: those that a filter lets through. */
export function withLiveEvents(
  window: EventWindow,
  heard: readonly WindowEvent[],
  fits: (event: WindowEvent) => boolean = () => true,
): EventWindow {
  const fresh = ascending(heard, window.lastSeq)
  if (fresh.length === 0) return window
  const pages = new Map(window.pages)
  const grown = new Map<number, (WindowEvent | undefined)[]>()
  for (const event of fresh) {
    const { page, offset } = placeOf(window, event.seq)
    const known = grown.get(page)?.length ?? pages.get(page)?.known ?? 0
    if (known !== offset) continue
    const events = grown.get(page) ?? [...(pages.get(page)?.events ?? [])]
    events[offset] = event
    grown.set(page, events)
  }
  for (const [page, events] of grown) {
    pages.set(page, { events, from: pages.get(page)?.from ?? 0, known: events.length })
  }
  const seqs = window.found ? fresh.filter(fits).map(({ seq }) => seq) : []
  const lastSeq = fresh.at(-1)?.seq ?? window.lastSeq
  return withFound(bounded({ ...window, pages, lastSeq }), seqs)
}

/** Each once, in order. */
function ascending(heard: readonly WindowEvent[], after: number): readonly WindowEvent[] {
  const fresh: WindowEvent[] = []
  for (const event of heard) if (event.seq > (fresh.at(-1)?.seq ?? after)) fresh.push(event)
  return fresh
}

/** The journal is said to be so long. */
export function withLastSeq(window: EventWindow, lastSeq: number): EventWindow {
  if (lastSeq <= window.lastSeq) return window
  // What was there when it was opened is not new.
  return { ...window, lastSeq, rowsSeen: window.lastSeq === 0 && !window.found ? lastSeq : window.rowsSeen }
}

/** With more of what the filter found; all of it, if it is said so. */
export function withFound(window: EventWindow, seqs: ArrayLike<number>, isComplete = false): EventWindow {
  const { found } = window
  if (!found || (seqs.length === 0 && !isComplete)) return window
  const all = union(found.seqs, Uint32Array.from(seqs))
  const rowsSeen = isComplete ? all.length : window.rowsSeen
  // What was found is in the journal, whoever else has heard of it.
  const lastSeq = Math.max(window.lastSeq, all.at(-1) ?? 0)
  return { ...window, lastSeq, rowsSeen, found: { seqs: all, isComplete: isComplete || found.isComplete } }
}

/** Both in order, each number once: what is heard live comes before what a search is still to find. */
function union(known: Uint32Array, more: Uint32Array): Uint32Array {
  const first = more[0] ?? Number.POSITIVE_INFINITY
  let at = known.length
  while (at > 0 && (known[at - 1] ?? 0) >= first) at--
  const behind = known.subarray(at)
  const rest = behind.length === 0 ? more : Uint32Array.from(new Set([...behind, ...more])).sort()
  const all = new Uint32Array(at + rest.length)
  all.set(known.subarray(0, at))
  all.set(rest, at)
  return all
}

/** The rows were looked at: their pages go last. */
export function lookedAt(window: EventWindow, { first, end }: WindowRows): EventWindow {
  const pages = new Map(window.pages)
  for (let row = first; row < Math.min(end, rowCount(window)); row++) {
    const { page } = placeOf(window, seqOfRow(window, row))
    const known = pages.get(page)
    if (!known) continue
    pages.delete(page)
    pages.set(page, known)
  }
  return { ...window, pages }
}

export function following(window: EventWindow, isFollowing: boolean): EventWindow {
  if (window.isFollowing === isFollowing) return window
  return { ...window, isFollowing, rowsSeen: rowCount(window) }
}

/** Rows that came since following ended. */
export function newRows(window: EventWindow): number {
  const isSearching = window.found !== undefined && !window.found.isComplete
  return window.isFollowing || isSearching ? 0 : Math.max(0, rowCount(window) - window.rowsSeen)
}

/** Whether the event is here, or is known to be missing. */
export function isKnown(window: EventWindow, seq: number): boolean {
  const { page, offset } = placeOf(window, seq)
  const { from = 0, known = 0 } = window.pages.get(page) ?? {}
  return offset >= from && offset < known
}

function placeOf({ pageSize }: EventWindow, seq: number): { readonly page: number; readonly offset: number } {
  const page = Math.floor((seq - 1) / pageSize)
  return { page, offset: seq - 1 - page * pageSize }
}

function bounded(window: EventWindow): EventWindow {
  if (window.pages.size <= window.keptPages) return window
  return { ...window, pages: new Map([...window.pages].slice(window.pages.size - window.keptPages)) }
}

/** For pages that show a journal of any length: the rows in sight, and what they lack. */
export const eventWindow = {
  emptyWindow,
  eventOfRow,
  eventOfSeq,
  following,
  isKnown,
  lookedAt,
  newRows,
  rowCount,
  rowOfSeq,
  seqOfRow,
  wantedRange,
  withEvents,
  withFound,
  withLastSeq,
  withLiveEvents,
} as const
