import { constants } from 'node:fs'
import { type FileHandle, open, truncate, writeFile } from 'node:fs/promises'
import { openRegularFile } from '../files/index.ts'
import type { Inspected } from './inspect.ts'
import type { Segment, SegmentIndex } from './segments.ts'

/** What opening a journal found at its end. */
export interface Tail {
  /** The segment to append to; undefined for an empty journal. */
  readonly segment?: Segment
  readonly index?: SegmentIndex
  readonly nextSeq: number
  readonly repair?: TailRepair | undefined
}

export interface TailRepair {
  /** Bytes after the last line feed, cut off the segment and kept in this file. */
  readonly tornBytes: number
  readonly keptIn?: string
  /** Whole lines at the end that are damaged. They stay; their numbers are not given out again. */
  readonly badLines: number
}

/**
 * Makes the end of a journal fit for appending: a torn last line (also one of NUL bytes after a power cut) is moved
 * aside, never thrown away. Damage elsewhere is left for the reader to report. Throws what the disk throws.
 */
export async function repairTail({ segments, last: scan }: Inspected): Promise<Tail> {
  const segment = segments.at(-1)
  if (!segment || !scan) return { nextSeq: 1 }
  const lastSeq = Math.max(scan.index.lastSeq, segment.firstSeq - 1) + scan.badLinesAtEnd
  const torn = await cutTorn(segment.path, scan.index.bytes)
  const damaged = torn.tornBytes > 0 || scan.badLinesAtEnd > 0
  return {
    segment,
    index: scan.index,
    nextSeq: lastSeq + 1,
    repair: damaged ? { ...torn, badLines: scan.badLinesAtEnd } : undefined,
  }
}

async function cutTorn(path: string, keep: number): Promise<{ tornBytes: number; keptIn?: string }> {
  const file = await openRegularFile(path, constants.O_RDWR | constants.O_NOFOLLOW)
  try {
    const { size } = await file.stat()
    if (size <= keep) return { tornBytes: 0 }
    const keptIn = path.replace(/\.jsonl$/, '.torn')
    await appendRange(file, keep, keptIn)
    await truncate(path, keep)
    await file.sync()
    return { tornBytes: size - keep, keptIn }
  } finally {
    await file.close()
  }
}

/** Copies in pieces what begins at `start`: a torn tail may be as long as the longest event. */
async function appendRange(file: FileHandle, start: number, target: string): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW
  const aside = await open(target, flags, 0o600)
  try {
    await writeFile(aside, file.createReadStream({ start, autoClose: false }))
    await aside.sync()
  } finally {
    await aside.close()
  }
}
