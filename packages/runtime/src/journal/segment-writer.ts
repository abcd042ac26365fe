import * as fs from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { addCounts, countOf, noEvents } from './line-reader.ts'
import { indexStep, type SegmentIndex, segmentPath, storeIndex } from './segments.ts'
import type { Tail } from './tail-repair.ts'
import { createTypePlaces } from './type-places.ts'

const fdatasync = promisify(fs.fdatasync)

export type SegmentWriter = ReturnType<typeof openSegmentWriter>

interface SegmentWriterOptions {
  readonly dir: string
  readonly tail: Tail
  readonly segmentBytes: number
  /** Asked once more right before the bytes go: a process can stand still at any point, and another one write meanwhile. */
  readonly assertHeld?: (() => void) | undefined
  /** `false`: somebody else sees to it that what is written gets to the disk. */
  readonly syncs: boolean
}

/**
 * The one file that is being appended to. Knows bytes, not events.
 *
 * Every call throws what the disk throws and leaves the caller to stop for good: after a failed write or sync nothing
 * is known about the file any more, so nothing is tried again.
 */
export function openSegmentWriter({ dir, tail, segmentBytes, assertHeld, syncs }: SegmentWriterOptions) {
  const { segment, index, nextSeq } = tail
  let current = segment
    ? openSegment(segment.path, fs.openSync(segment.path, appendFlags), index)
    : create(segmentPath(dir, nextSeq))

  // A sync in the background may still hold the file of a full segment: it is closed when that is over.
  let syncing: Promise<unknown> = Promise.resolve()

  const rotate = (firstSeq: number) => {
    const { fd } = current
    fs.fdatasyncSync(fd)
    void syncing.finally(() => fs.closeSync(fd))
    storeIndex(current.path, indexOf(current))
    current = create(segmentPath(dir, firstSeq))
  }

  return {
    /** Writes whole lines, the first of which has `firstSeq`. They survive the death of the process, not of the machine. */
    write(lines: readonly string[], firstSeq: number, types: readonly string[]): void {
      if (current.bytes >= segmentBytes) rotate(firstSeq)
      mark(current, lines, firstSeq)
      const bytes = Buffer.from(lines.join(''))
      assertHeld?.()
      writeWhole(current.fd, bytes)
      current.bytes += bytes.length
      current.lastSeq = firstSeq + lines.length - 1
      current.counts = addCounts(current.counts, countOf(types))
      for (const [at, type] of types.entries()) current.types?.add(type, firstSeq + at)
    },
    /** Makes everything written so far safe against power loss; blocks. */
    syncNow(): void {
      if (syncs) fs.fdatasyncSync(current.fd)
    },
    /** The same without blocking. */
    sync(): Promise<void> {
      const running = fdatasync(current.fd)
      syncing = running.catch(() => undefined)
      return running
    },
    /** Where the events of the current segment are. */
    index: () => indexOf(current),
    close: () => fs.closeSync(current.fd),
  }
}

type OpenSegment = ReturnType<typeof openSegment>

const appendFlags =
  fs.constants.O_WRONLY | fs.constants.O_APPEND | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK

function openSegment(path: string, fd: number, index?: SegmentIndex) {
  const entries = [...(index?.entries ?? [])]
  return {
    path,
    fd,
    bytes: index?.bytes ?? 0,
    lastSeq: index?.lastSeq ?? 0,
    isWhole: index?.isWhole ?? true,
    lines: entries.length * indexStep,
    counts: index?.counts ?? noEvents,
    types: index && !index.types ? undefined : createTypePlaces(index?.types),
    entries,
  }
}

/** The folder is synced too, or a power cut could take the name of the new file with it. */
function create(path: string): OpenSegment {
  const fd = fs.openSync(path, appendFlags | fs.constants.O_CREAT | fs.constants.O_EXCL, 0o600)
  const folder = fs.openSync(dirname(path), fs.constants.O_RDONLY)
  try {
    fs.fsyncSync(folder)
  } finally {
    fs.closeSync(folder)
  }
  return openSegment(path, fd)
}

/** Notes where every n-th line of the segment begins. */
function mark(segment: OpenSegment, lines: readonly string[], firstSeq: number): void {
  const first = (indexStep - (segment.lines % indexStep)) % indexStep
  for (let at = first; at < lines.length; at += indexStep) {
    const before = at === 0 ? 0 : Buffer.byteLength(lines.slice(0, at).join(''))
    segment.entries.push([firstSeq + at, segment.bytes + before])
  }
  segment.lines += lines.length
}

function indexOf({ bytes, lastSeq, counts, entries, isWhole, types }: OpenSegment): SegmentIndex {
  return { bytes, lastSeq, counts, entries, isWhole, types: types?.all() }
}

function writeWhole(fd: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += fs.writeSync(fd, bytes, at)
}
