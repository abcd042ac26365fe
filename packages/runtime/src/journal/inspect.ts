import { listSegments, loadIndex, type Segment, type SegmentScan, scanSegment } from './segments.ts'
import type { OtherWriter } from './two-writers.ts'

/** What of a journal is not as it was written, in numbers. */
export interface JournalFindings {
  /** Whole lines that are damaged. */
  readonly damaged: number
  /** Numbers that no line has, between the first and the last. */
  readonly missing: number
  /** Lines with a number that another line had before: two writers were at work. */
  readonly doubled: number
}

export interface Inspected {
  readonly findings: JournalFindings
  readonly segments: readonly Segment[]
  /** Of the newest segment. */
  readonly last: SegmentScan | undefined
}

/**
 * Inspects a journal, with all that is known about full segments: one that was whole when it was full is not read
 * again. `thorough` reads the newest in any case. Rejects with what the disk says.
 */
export async function inspectJournal(dir: string, { thorough = false } = {}): Promise<Inspected> {
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
    const scan = await scanSegment(path, expected)
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
