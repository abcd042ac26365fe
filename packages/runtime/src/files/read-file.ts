import {
  closeSync,
  fstatSync,
  lstatSync,
  openSync,
  type PathLike,
  read,
  readlinkSync,
  readSync,
  type Stats,
} from 'node:fs'
import { promisify } from 'node:util'
import { errorCode } from '../kit/index.ts'
import { createDirectoryChain } from './directory-handles.ts'
import { readFlags, refusesLinks } from './open-regular.ts'

const largestChunk = 1 << 20
/** Below this the way to another thread and back costs several times the work: most files of a workspace. */
const smallRead = 64 << 10
const readLater = promisify(read)

/** The bytes that a file had when it was opened; each chunk is good until the next. Throws when it has fewer by now. */
export async function* chunksOf(
  fd: number,
  { size }: Stats,
  signal?: AbortSignal,
): AsyncGenerator<Buffer, void, undefined> {
  const buffer = Buffer.allocUnsafe(Math.min(size, largestChunk))
  for (let position = 0; position < size; ) {
    signal?.throwIfAborted()
    const count = await readAt(fd, buffer.subarray(0, size - position), position)
    if (count === 0) throw new Error('it was cut short while it was read')
    position += count
    yield buffer.subarray(0, count)
  }
}

function readAt(fd: number, into: Buffer, position: number): number | Promise<number> {
  if (into.length <= smallRead) return readSync(fd, into, 0, into.length, position)
  return readLater(fd, into, 0, into.length, position).then(({ bytesRead }) => bytesRead)
}

/** What is at a place. `bytes`: of a link, where it points. */
export type FileReading =
  | {
      readonly kind: 'read'
      readonly stats: Stats
      readonly bytes: Buffer
      /** It changed while it was read: until it did not, or until it was tried often enough. */
      readonly changed?: 'once' | 'always'
    }
  /** Too large for memory. Whoever asked closes it. */
  | { readonly kind: 'large'; readonly file: LargeFile }
  /** No file and no link is there. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'unreadable'; readonly code: string }

/** A regular file, held open. */
export interface LargeFile {
  /** When it was opened. */
  readonly stats: Stats
  chunks(signal?: AbortSignal): AsyncGenerator<Buffer, void, undefined>
  /** Whether it is still in the state in which it was opened. */
  isSame(): boolean
  close(): void
}

/**
 * Reads a file or a link and nothing else; follows no link in the last component and waits for no pipe. A file that
 * changes while it is read is read again, a few times; then `stats` is of before the last try, so that a later scan sees
 * the difference. Never rejects. One call at a time: the bytes are good until the next.
 */
export type FileReader = (place: PathLike) => Promise<FileReading>

export function createFileReader(): FileReader {
  // Most files are small: a buffer for each would be most of the memory that reading them takes.
  const scratch = Buffer.allocUnsafeSlow(scratchBytes)
  return async place => {
    try {
      // Where links are opened, every place is asked first whether it is one.
      return (refusesLinks ? undefined : readLink(place)) ?? (await readRegular(place, scratch))
    } catch (error) {
      return linkOr(obstacle(error), place)
    }
  }
}

/** Reads files and links below a root that someone may be rearranging, best in order of path. */
export type TreeReader = ReturnType<typeof createTreeReader>

export function createTreeReader(root: string) {
  const directories = createDirectoryChain(root)
  const read = createFileReader()
  return {
    /** As a `FileReader`, with no link on the way either. Rejects as `DirectoryChain.enter` throws. */
    async read(path: string): Promise<FileReading> {
      const entered = directories.reach(path)
      return entered.ok ? read(entered.directory.entry(entered.name)) : { kind: 'gone' }
    },
    close: directories.close,
  }
}

const mostReads = 4
const largeFile = 8 << 20
const scratchBytes = 64 << 10

/** `undefined`: no link is there. Throws the system's error. */
function readLink(place: PathLike): FileReading | undefined {
  const stats = lstatSync(place)
  return stats.isSymbolicLink() ? { kind: 'read', stats, bytes: readlinkSync(place, 'buffer') } : undefined
}

/** What could not be opened may be a link. */
function linkOr(reading: FileReading, place: PathLike): FileReading {
  if (reading.kind !== 'gone') return reading
  try {
    return readLink(place) ?? reading
  } catch (error) {
    return obstacle(error)
  }
}

async function readRegular(place: PathLike, scratch: Buffer): Promise<FileReading> {
  for (let attempt = 1; ; attempt++) {
    const fd = openSync(place, readFlags)
    const stats = fstatSync(fd)
    if (stats.isFile() && stats.size > largeFile) return { kind: 'large', file: largeFileOf(fd, stats) }
    try {
      if (!stats.isFile()) return { kind: 'gone' }
      const read = { kind: 'read', stats, bytes: await readWhole(fd, stats, scratch) } as const
      if (isSameState(stats, fstatSync(fd))) return attempt === 1 ? read : { ...read, changed: 'once' }
      if (attempt === mostReads) return { ...read, changed: 'always' }
    } finally {
      closeSync(fd)
    }
  }
}

function largeFileOf(fd: number, stats: Stats): LargeFile {
  return {
    stats,
    chunks: signal => chunksOf(fd, stats, signal),
    isSame: () => isSameState(stats, fstatSync(fd)),
    close: () => closeSync(fd),
  }
}

/** Up to the size that it had when it was opened. */
async function readWhole(fd: number, { size }: Stats, scratch: Buffer): Promise<Buffer> {
  const bytes = size <= scratch.length ? scratch.subarray(0, size) : Buffer.allocUnsafe(size)
  let length = 0
  while (length < bytes.length) {
    const count = await readAt(fd, bytes.subarray(length), length)
    if (count === 0) break
    length += count
  }
  return bytes.subarray(0, length)
}

/** The time of change moves with every write, rename and change of mode, whatever a program does to the other times. */
export function isSameState(a: FileState, b: FileState): boolean {
  return (
    a.ctimeMs === b.ctimeMs && a.mtimeMs === b.mtimeMs && a.size === b.size && a.ino >>> 0 === b.ino >>> 0
  )
}

export type FileState = Pick<Stats, 'ctimeMs' | 'mtimeMs' | 'size' | 'ino'>

function obstacle(error: unknown): FileReading {
  const code = errorCode(error) ?? 'UNKNOWN'
  return changedMeanwhile.has(code) ? { kind: 'gone' } : { kind: 'unreadable', code }
}

/** It was a file a moment ago, and is now something else, or nothing. */
const changedMeanwhile = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO'])
