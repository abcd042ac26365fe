import { constants } from 'node:fs'
import { type FileHandle, open, truncate, writeFile } from 'node:fs/promises'
import { openRegularFile } from '../files/index.ts'
import {
  listSegments,
  loadIndex,
  type Segment,
  type SegmentIndex,
  type SegmentScan,
  scanSegment,
} from './segments.ts'
import type { OtherWriter } from './two-writers.ts'

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

/** What of a journal is not as it was written, in numbers. */
interface JournalFindings {
  /** Whole lines that are damaged. */
  readonly damaged: number
  /** Numbers that no line has, between the first and the last. */
  readonly missing: number
  /** Lines with a number that another line had before: two writers were at work. */
  readonly doubled: number
}

interface Inspected {
  readonly findings: JournalFindings
  readonly segments: readonly Segment[]
  /** Of the newest segment. */
  readonly last: SegmentScan | undefined
}

interface Inspection {
  /** Reads the newest segment in any case. */
  readonly thorough?: boolean
  /** Of the newest segment: only what comes after that is read. */
  readonly known?: SegmentIndex | undefined
}

/**
 * Inspects a journal, with all that is known about full segments: one that was whole when it was full is not read
 * again. Rejects with what the disk says.
 */
export async function inspectJournal(
  dir: string,
  { thorough = false, known }: Inspection = {},
): Promise<Inspected> {
  const segments = await listSegments(dir)
  const findings = { damaged: 0, missing: 0, doubled: 0 }
  let last: SegmentScan | undefined
  let expected = 1
  for (const [at, { path, firstSeq }] of segments.entries()) {
    const isNewest = at === segments.length - 1
    const index = isNewest && thorough ? undefined : await loadIndex(path)
    if (index?.isWhole && firstSeq === expected) {
      expected = Math.max(expected, index.lastSeq + 1)
      continue
    }
    const before = isNewest ? known : undefined
    const scan = await scanSegment(path, before ? before.lastSeq + 1 : expected, before)
    findings.damaged += scan.damaged
    findings.missing += scan.missing
    findings.doubled += scan.doubled
    expected = Math.max(expected, scan.index.lastSeq + scan.badLinesAtEnd + 1)
    if (isNewest) last = scan
  }
  return { findings, segments, last }
}

export interface OpeningFindings extends JournalFindings {
  /** Lines of a second writer, which opening has put aside. */
  readonly otherWriter?: OtherWriter
}

/** What is amiss with a journal, as sentences for people; none for one that is as it was written. */
export function describeFindings(findings: OpeningFindings): readonly string[] {
  const { damaged, missing, doubled, otherWriter } = findings
  const sentences = [
    damaged > 0 && `The journal has ${linesText(damaged, 'damaged ')}; such lines are passed over.`,
    missing > 0 &&
      `The journal has a gap: ${missing} events are missing between others. Restore them from a backup.`,
    doubled > 0 &&
      `The journal has ${linesText(doubled)} of a second writer, passed over. The next start puts them aside.`,
    otherWriter &&
      `Two servers had written to the journal at once: ${linesText(otherWriter.lines)} of the other one are now in ${otherWriter.keptIn.join(', ')}.`,
  ]
  return sentences.filter(sentence => typeof sentence === 'string')
}

function linesText(count: number, kind = ''): string {
  return `${count} ${kind}${count === 1 ? 'line' : 'lines'}`
}
