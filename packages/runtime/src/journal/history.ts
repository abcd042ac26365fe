import { basename, join } from 'node:path'
import { parseEvent } from '@weave/protocol'
import { restoreFields } from './blobs.ts'
import { eventBytes, type LineEnvelope, parseLine } from './line.ts'
import { mostChunkBytes, readSegment, type StoredEvent } from './line-reader.ts'
import { typeOf } from './line-type.ts'
import type { RecordedEvent } from './notify.ts'
import { createPage, type Page, type PageLimits } from './page.ts'
import { pagesOfTypes, plansOf } from './pages-of-types.ts'
import {
  createNumberCheck,
  indexStep,
  listSegments,
  loadIndex,
  offsetOf,
  type Segment,
  type SegmentIndex,
} from './segments.ts'

interface PageQuery extends PageLimits {
  readonly after?: number
  readonly upTo?: number
  /** Read into this: the events of a page are good until the next one is asked for, and pages end where chunks do. */
  readonly scratch?: Buffer
}

interface HistoryOptions {
  readonly dir: string
  /** For a journal that is open: what its writer knows of the newest segment. */
  readonly active?: () => SegmentIndex
  /** Writes nothing, not even the index that makes the next reading quick. */
  readonly readOnly?: boolean
}

export type History = ReturnType<typeof createHistory>

/**
 * Reads a journal, live or at rest, in pages of bounded size. Lines are proved by their checksum and handed on
 * unparsed; only who needs an event as a value pays for parsing it.
 *
 * Damage never stops a reader: a bad line is skipped and listed in its page with the file and the byte it begins at.
 */
export function createHistory({ dir, active, readOnly = false }: HistoryOptions) {
  const indexOf = createIndexes(active, { keeps: !readOnly })
  const segmentsUpTo = createSegmentList(dir)

  const lastSeq = async (): Promise<number> => {
    const newest = (await segmentsUpTo(Number.POSITIVE_INFINITY)).at(-1)
    return newest ? Math.max((await indexOf(newest, true)).lastSeq, newest.firstSeq - 1) : 0
  }

  /**
   * Pages in order, from the event after `after` up to `upTo` (default: the last one written when the call began). Who takes
   * all there are, `upTo` infinity, has the newest segment read once only: nobody need know first where it ends.
   */
  async function* pages(query: PageQuery = {}): AsyncGenerator<Page> {
    const { after = 0, upTo = await lastSeq(), scratch } = query
    const segments = await segmentsUpTo(upTo)
    const page = createPage(query)
    const numbers = createNumberCheck(after + 1)
    let last = after
    for (const [at, segment] of segments.entries()) {
      const next = segments[at + 1]
      if (last >= upTo || segment.firstSeq > upTo) break
      if (next && next.firstSeq <= after + 1) continue
      // Of a segment that is wanted from its first line to its last nobody need know where the others begin.
      const isWhole = after < segment.firstSeq && (next?.firstSeq ?? Number.POSITIVE_INFINITY) <= upTo + 1
      const where = isWhole ? wholeSegment : whereIn(await indexOf(segment, !next), after, upTo - last)
      const file = basename(segment.path)
      numbers.nextFile()
      for await (const { events, damaged } of readFrom(segment, { ...where, scratch }, after + 1)) {
        for (const { offset, reason } of damaged) {
          page.problem({ file, offset, reason })
          numbers.damagedAt(offset)
        }
        for (const stored of events) {
          // Before the first event that was asked for there may be others: the index knows only every so many.
          if ((last === after && stored.seq <= after) || stored.seq > upTo) continue
          const { offset } = stored
          const gap = numbers.intact(stored.seq, offset)
          if (gap === 'doubled') page.problem({ file, offset, reason: gap })
          else if (gap > 0) page.problem({ file, offset, reason: 'missing', count: gap })
          if (gap === 'doubled') continue
          last = stored.seq
          if (page.isFullWith(stored)) yield page.take()
          page.add(stored)
        }
        if (scratch && !page.isEmpty()) yield page.take()
        if (last >= upTo) break
      }
    }
    if (!page.isEmpty()) yield page.take()
  }

  return {
    pages,
    lastSeq,
    /** The events that may carry a plan, newest first. Segments without one are not read. */
    plans: () => plansOf({ segmentsUpTo, indexOf, pages }),
    /** Events of these types, up to one, in order; where they are few, next to nothing else is read. */
    ofTypes: (types: ReadonlySet<string>, upTo: number) =>
      pagesOfTypes({ segmentsUpTo, indexOf, pages }, types, upTo),
    /** The event's JSON as it travels on a socket. */
    text: (stored: StoredEvent) => textOf(dir, stored),
    /** Its type, without parsing it. */
    type: typeOf,
    unchecked,
    uncheckedData,
    /** The event as a value; undefined when an older or newer program wrote something that this one cannot read. */
    async event(stored: StoredEvent): Promise<RecordedEvent | undefined> {
      const message = parseEvent(await parsed(dir, stored))
      return message.kind === 'event' ? (message.event as RecordedEvent) : undefined
    },
  }
}

/** Segments only ever come to the end of the row, so the row known is good for all that lies before its last one. */
function createSegmentList(dir: string) {
  let known: readonly Segment[] = []
  return async (seq: number): Promise<readonly Segment[]> => {
    if (seq >= (known.at(-1)?.firstSeq ?? 0)) known = await listSegments(dir)
    return known
  }
}

/**
 * The index of the segment that is being written comes from its writer; those of full segments are read once, and the newest
 * one of a journal that somebody else writes grows with it.
 */
function createIndexes(active: HistoryOptions['active'], { keeps }: { readonly keeps: boolean }) {
  const full = new Map<string, SegmentIndex>()
  let last: { readonly path: string; readonly index: SegmentIndex } | undefined
  return async ({ path }: Segment, newest: boolean): Promise<SegmentIndex> => {
    if (newest && active) return active()
    const known = full.get(path)
    if (known) return known
    const index = await loadIndex(path, { keeps, before: last?.path === path ? last.index : undefined })
    if (newest) last = { path, index }
    else full.set(path, index)
    return index
  }
}

/** An index that points beside a line (a damaged cache) is not trusted: the segment is read from its beginning. */
async function* readFrom(segment: Segment, options: Where, seq: number) {
  let trusted = options.start === 0
  for await (const chunk of readSegment(segment.path, options)) {
    const first = chunk.events[0]
    trusted ||= first?.offset === options.start && first.seq <= seq
    if (!trusted) {
      yield* readSegment(segment.path, { scratch: options.scratch })
      return
    }
    yield chunk
  }
}

interface Where {
  readonly start: number
  readonly chunkBytes: number
  readonly scratch: Buffer | undefined
}

/** Where to begin; no more is read at once than the events asked for are likely to need. */
function whereIn(index: SegmentIndex, after: number, events: number) {
  const lines = index.lastSeq - (index.entries[0]?.[0] ?? 0) + 1
  const expected = (events + indexStep) * (index.bytes / Math.max(1, lines)) * 1.05
  const chunkBytes = Math.min(mostChunkBytes, Math.max(16 * 1024, Math.ceil(expected)))
  return { start: offsetOf(index, after + 1), chunkBytes }
}

const wholeSegment = { start: 0, chunkBytes: mostChunkBytes }

/**
 * The event as the line has it, for a reader of millions that looks for itself whether it is what it seems. Undefined when
 * the line does not hold all of it.
 */
function unchecked({ rest }: StoredEvent): RecordedEvent | undefined {
  const event = parseLine(rest)
  return event.blobs ? undefined : (event as unknown as RecordedEvent)
}

/** Its data alone, for who already knows its type: most of what a reader of millions would leave to the collector is the rest. */
function uncheckedData({ rest, spilled }: StoredEvent): object | undefined {
  if (spilled) return undefined
  return JSON.parse(rest.toString('utf8', rest.indexOf(dataKey) + dataKey.length, rest.length - 1)) as object
}

/** No text before the data can hold this: inside a JSON string the quotes would be escaped. */
const dataKey = '"data":'

async function textOf(dir: string, stored: StoredEvent): Promise<string> {
  if (!stored.spilled) return eventBytes(stored.rest).toString('utf8')
  const { origin: _, ...event } = await parsed(dir, stored)
  return JSON.stringify(event)
}

async function parsed(dir: string, stored: StoredEvent): Promise<LineEnvelope & { readonly data: object }> {
  const { blobs, ...event } = parseLine(stored.rest)
  if (!blobs) return event
  return { ...event, data: await restoreFields(join(dir, 'blobs'), event.data, blobs) }
}
