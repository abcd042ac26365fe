import { readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { readRegularFile, writeFileAtomic, writeFileAtomicSync } from '../files/index.ts'
import { errorCode } from '../kit/index.ts'
import {
  createScratch,
  type EventCounts,
  isOfEveryone,
  noEvents,
  planType,
  readSegment,
  type StoredEvent,
} from './line-reader.ts'
import { typeOf } from './line-type.ts'
import { areTypePlaces, createTypePlaces, type TypePlaces } from './type-places.ts'

/** A journal is a row of segment files, each named after the first `seq` in it. */
export interface Segment {
  readonly firstSeq: number
  readonly path: string
}

const pattern = /^events-(\d{12,16})\.jsonl$/

export function segmentPath(dir: string, firstSeq: number): string {
  return join(dir, `events-${String(firstSeq).padStart(12, '0')}.jsonl`)
}

/** The number in the name of a segment. */
function firstSeqOf(path: string): number {
  return Number(pattern.exec(basename(path))?.[1])
}

/** In order of their `seq`. A missing folder is an empty journal. */
export async function listSegments(dir: string): Promise<readonly Segment[]> {
  return (await namesIn(dir))
    .flatMap(name => {
      const firstSeq = Number(pattern.exec(name)?.[1])
      return Number.isSafeInteger(firstSeq) && firstSeq > 0 ? [{ firstSeq, path: join(dir, name) }] : []
    })
    .sort((a, b) => a.firstSeq - b.firstSeq)
}

async function namesIn(dir: string): Promise<readonly string[]> {
  try {
    return await readdir(dir)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return []
    throw error
  }
}

/**
 * Where every n-th event of a segment begins, so that a page anywhere is found without reading what is before it.
 *
 * The index of a full segment is kept beside it as `<segment>.idx`. It is only a cache: one that is missing, torn or
 * made for a file of another size is built again by reading the segment once.
 */
export interface SegmentIndex {
  /** Bytes of the segment that this index covers: its whole lines. What follows them is a torn tail. */
  readonly bytes: number
  readonly lastSeq: number
  /** Of the intact lines, so that nobody has to read them to know how many there are. */
  readonly counts: EventCounts
  /** `[seq, offset]`, growing in both. */
  readonly entries: readonly (readonly [seq: number, offset: number])[]
  /** All its lines were intact, and numbered one by one from the number in its name on. */
  readonly isWhole: boolean
  /** Where the events of each type are; absent in one that an older program wrote. */
  readonly types?: TypePlaces | undefined
}

export const indexStep = 64

function indexPath(segment: string): string {
  return segment.replace(/\.jsonl$/, '.idx')
}

interface LoadOptions {
  /** Written beside the segment when it had to be built. */
  readonly keeps?: boolean
  /** What was known of this segment before: only what has come since is read. */
  readonly before?: SegmentIndex | undefined
}

export async function loadIndex(
  segment: string,
  { keeps = true, before }: LoadOptions = {},
): Promise<SegmentIndex> {
  const { size } = await stat(segment)
  if (before?.bytes === size) return before
  const stored = await readStored(indexPath(segment))
  if (stored?.bytes === size) return stored
  const grown = before && before.bytes < size ? await grownIndex(segment, before) : undefined
  const built = grown ?? (await scanSegment(segment, firstSeqOf(segment))).index
  // A cache that cannot be written (read-only folder) is only slower next time.
  if (keeps) await writeFileAtomic(indexPath(segment), JSON.stringify(built)).catch(() => undefined)
  return built
}

/** Undefined: what comes after is not as it should be, so the file may be another than it was. */
async function grownIndex(segment: string, before: SegmentIndex): Promise<SegmentIndex | undefined> {
  const { index, damaged, missing, doubled } = await scanSegment(segment, before.lastSeq + 1, before)
  return damaged + missing + doubled === 0 ? index : undefined
}

export function storeIndex(segment: string, index: SegmentIndex): void {
  writeFileAtomicSync(indexPath(segment), JSON.stringify(index))
}

/** The byte offset from which reading finds `seq`. */
export function offsetOf(index: SegmentIndex, seq: number): number {
  let low = 0
  let high = index.entries.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((index.entries[middle]?.[0] ?? 0) <= seq) low = middle + 1
    else high = middle
  }
  return index.entries[low - 1]?.[1] ?? 0
}

export type SegmentScan = Awaited<ReturnType<typeof scanSegment>>

/**
 * Reads a segment once: its index, how its end looks, and what is amiss from the number on that is to come first. Where a part
 * of it is known, that is not read again.
 */
export async function scanSegment(segment: string, expected: number, before?: SegmentIndex) {
  const numbers = createNumberCheck(expected)
  const indexing = createIndexing(before)
  let [bytes, badLinesAtEnd] = [before?.bytes ?? 0, 0]
  // Of the lines nothing is kept: each chunk may be read over the one before.
  const scratch = createScratch()
  for await (const chunk of readSegment(segment, { start: bytes, scratch })) {
    for (const { offset } of chunk.damaged) numbers.damagedAt(offset)
    for (const stored of chunk.events) {
      numbers.intact(stored.seq, stored.offset)
      indexing.add(stored)
    }
    const bad = chunk.damaged.filter(({ offset }) => offset >= chunk.intactEnd).length
    badLinesAtEnd = chunk.events.length > 0 ? bad : badLinesAtEnd + bad
    bytes = chunk.end
  }
  const { damaged, missing, doubled } = numbers
  const isWhole = damaged + missing + doubled === 0 && before?.isWhole !== false
  // `badLinesAtEnd`: whole lines after the last intact one.
  return { index: { ...indexing.known(), bytes, isWhole }, badLinesAtEnd, damaged, missing, doubled }
}

/** What the index of a segment says of its lines, noted line by line. */
export function createIndexing(before?: SegmentIndex) {
  const entries = [...(before?.entries ?? [])]
  const counts = { ...(before?.counts ?? noEvents) }
  const places = before && !before.types ? undefined : createTypePlaces(before?.types)
  let lastSeq = before?.lastSeq ?? 0
  return {
    /** Returns its type. One with a number that was there before is passed over. */
    add(stored: StoredEvent): string {
      const { seq, offset } = stored
      const type = typeOf(stored)
      if (seq <= lastSeq) return type
      if (isOfEveryone(type)) counts.forEveryone++
      else if (type === planType) counts.plans++
      places?.add(type, seq)
      if (counts.all++ % indexStep === 0) entries.push([seq, offset])
      lastSeq = seq
      return type
    },
    counts: (): EventCounts => ({ ...counts }),
    known: () => ({ lastSeq, counts, entries, types: places?.all() }),
  }
}

async function readStored(path: string): Promise<SegmentIndex | undefined> {
  const read = await readRegularFile(path, { maxBytes: longestIndex })
  if (!read.ok) return undefined
  try {
    const value: unknown = JSON.parse(read.bytes.toString('utf8'))
    return isIndex(value) ? value : undefined
  } catch {
    return undefined
  }
}

const longestIndex = 64 * 1024 * 1024

function isIndex(value: unknown): value is SegmentIndex {
  const index = value as Partial<SegmentIndex> | null
  if (typeof index?.isWhole !== 'boolean' || !areTypePlaces(index.types)) return false
  const { all, forEveryone, plans } = index?.counts ?? {}
  if (![index?.bytes, index?.lastSeq, all, forEveryone, plans].every(Number.isSafeInteger)) return false
  const entries: readonly (readonly number[])[] = Array.isArray(index?.entries) ? index.entries : [[]]
  return entries.every(([seq = Number.NaN, offset = Number.NaN], at) => {
    const [seqBefore = 0, offsetBefore = 0] = entries[at - 1] ?? [0, -1]
    return Number.isSafeInteger(seq) && seq > seqBefore && offset > offsetBefore
  })
}

/**
 * Holds the numbers of a journal's lines, as they stand in its files, against the rule: one by one from a first one on. A
 * damaged line is taken to have had the number that was to come.
 */
export function createNumberCheck(expected: number) {
  let next = expected
  let [damaged, missing, doubled] = [0, 0, 0]
  let waiting: number[] = []

  return {
    /** Call it for all damaged lines before an intact one first. */
    damagedAt(offset: number): void {
      damaged++
      waiting.push(offset)
    },
    /** From here on offsets are those of the next file. */
    nextFile(): void {
      waiting = waiting.map(() => -1)
    },
    /** How many numbers are missing right before this line; `doubled`: it is the line of another writer. */
    intact(seq: number, offset: number): number | 'doubled' {
      if (seq === next && waiting.length === 0) {
        next++
        return 0
      }
      const before = waiting.filter(place => place < offset).length
      if (seq < next) {
        doubled++
        return 'doubled'
      }
      waiting = waiting.filter(place => place > offset)
      const gap = Math.max(0, seq - next - before)
      missing += gap
      next = seq + 1
      return gap
    },
    /** Whole lines that are damaged. */
    get damaged() {
      return damaged
    },
    /** Numbers that no line has; a damaged line had one of its own. */
    get missing() {
      return missing
    },
    /** Intact lines with a number below the one that was to come. */
    get doubled() {
      return doubled
    },
  }
}
