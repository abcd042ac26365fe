import { writeFileSync } from 'node:fs'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { type EventCounts, isForEveryone } from './event-counts.ts'
import { readSegment } from './line-reader.ts'

/**
 * Where every n-th event of a segment begins, so that a page anywhere is found without reading what is before it.
 *
 * The index of a full segment is kept beside it as `<segment>.idx`. It is only a cache: one that is missing, torn or
 * made for a file of another size is built again by reading the segment once.
 */
export interface SegmentIndex {
  /** Bytes of the segment that this index covers. */
  readonly bytes: number
  readonly lastSeq: number
  /** Of the intact lines, so that nobody has to read them to know how many there are. */
  readonly counts: EventCounts
  /** `[seq, offset]`, growing in both. */
  readonly entries: readonly (readonly [seq: number, offset: number])[]
}

export const indexStep = 64

function indexPath(segment: string): string {
  return segment.replace(/\.jsonl$/, '.idx')
}

export async function loadIndex(segment: string): Promise<SegmentIndex> {
  const { size } = await stat(segment)
  const stored = await readStored(indexPath(segment))
  if (stored?.bytes === size) return stored
  const built = (await scanSegment(segment)).index
  // A cache that cannot be written (read-only folder) is only slower next time.
  await writeFile(indexPath(segment), JSON.stringify(built), { mode: 0o600 }).catch(() => undefined)
  return built
}

export function storeIndex(segment: string, index: SegmentIndex): void {
  writeFileSync(indexPath(segment), JSON.stringify(index), { mode: 0o600 })
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

export interface SegmentScan {
  readonly index: SegmentIndex
  /** Where the last line that has its LF ends; what follows is a torn tail. */
  readonly terminatedBytes: number
  /** Whole lines after the last intact one. */
  readonly badLinesAtEnd: number
}

/** Reads a segment once: its index, and how its end looks. */
export async function scanSegment(segment: string): Promise<SegmentScan> {
  const entries: (readonly [number, number])[] = []
  let [lines, forEveryone, lastSeq, terminatedBytes, badLinesAtEnd] = [0, 0, 0, 0, 0]
  for await (const chunk of readSegment(segment)) {
    for (const stored of chunk.events) {
      const { seq, offset } = stored
      if (seq <= lastSeq) continue
      if (isForEveryone(stored)) forEveryone++
      if (lines++ % indexStep === 0) entries.push([seq, offset])
      lastSeq = seq
    }
    const bad = chunk.damaged.filter(({ offset }) => offset >= chunk.intactEnd).length
    badLinesAtEnd = chunk.events.length > 0 ? bad : badLinesAtEnd + bad
    terminatedBytes = chunk.end
  }
  const counts = { all: lines, forEveryone }
  return { index: { bytes: terminatedBytes, lastSeq, counts, entries }, terminatedBytes, badLinesAtEnd }
}

async function readStored(path: string): Promise<SegmentIndex | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'))
    return isIndex(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isIndex(value: unknown): value is SegmentIndex {
  const index = value as Partial<SegmentIndex> | null
  const { all, forEveryone } = index?.counts ?? {}
  if (![index?.bytes, index?.lastSeq, all, forEveryone].every(Number.isSafeInteger)) return false
  const entries: readonly (readonly number[])[] = Array.isArray(index?.entries) ? index.entries : [[]]
  return entries.every(([seq = Number.NaN, offset = Number.NaN], at) => {
    const [seqBefore = 0, offsetBefore = 0] = entries[at - 1] ?? [0, -1]
    return Number.isSafeInteger(seq) && seq > seqBefore && offset > offsetBefore
  })
}
