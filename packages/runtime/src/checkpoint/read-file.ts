import { createHash } from 'node:crypto'
import {
  closeSync,
  constants,
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
import { type GitMode, gitModeOf, isLink } from './git-mode.ts'
import { isSameState } from './known-tree.ts'

/** What is at a place. `bytes`: of a link, where it points. */
export type FileReading =
  | {
      readonly kind: 'read'
      readonly mode: GitMode
      readonly stats: Stats
      readonly bytes: Buffer
      /** It changed while it was read: until it did not, or until it was tried often enough. */
      readonly changed?: 'once' | 'always'
    }
  /** Too large for memory. Whoever asked closes it. */
  | { readonly kind: 'large'; readonly mode: GitMode; readonly file: OpenFile }
  /** No file and no link is there. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'unreadable'; readonly code: string }

/** A regular file, held open. */
export interface OpenFile {
  /** When it was opened. */
  readonly stats: Stats
  /** As many bytes as it had when it was opened; each chunk is good until the next. Throws when it has fewer by now. */
  chunks(signal?: AbortSignal): AsyncGenerator<Buffer, void, undefined>
  /** Whether it is still in the state in which it was opened. */
  isSame(): boolean
  close(): void
}

/**
 * Reads a file or a link and nothing else; follows no link in the last component and waits for no pipe. A file that
 * changes while it is read is read again, a few times; then `stats` is of before the last try, so that a later look sees
 * the difference. Never rejects. One call at a time: the bytes are good until the next.
 */
export type FileReader = (place: PathLike) => Promise<FileReading>

export function createFileReader(): FileReader {
  // Most files are small: a buffer for each would be most of the memory that storing them takes.
  const scratch = Buffer.allocUnsafeSlow(scratchBytes)
  return async place => {
    try {
      return (refusesLinks ? undefined : readLink(place)) ?? (await readRegular(place, scratch))
    } catch (error) {
      return linkOr(obstacle(error), place)
    }
  }
}

/** The id of a blob with the content of a large file. */
export async function blobIdOf(file: OpenFile, signal?: AbortSignal): Promise<string> {
  const hash = createHash('sha1').update(`blob ${file.stats.size}\0`)
  for await (const chunk of file.chunks(signal)) hash.update(chunk)
  return hash.digest('hex')
}

const attempts = 4
const largeFile = 8 << 20
const chunkBytes = 1 << 20
const scratchBytes = 64 << 10
/** Below this the way to another thread and back takes longer than the work. */
const smallRead = 256 << 10
// Without O_NONBLOCK an open of a FIFO waits for a writer, for ever.
const readFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
const readLater = promisify(read)

/** Opening a link is an error. Where it is not, every place is asked first whether it is one. */
const refusesLinks = constants.O_NOFOLLOW !== undefined

/** `undefined`: no link is there. Throws the system's error. */
function readLink(place: PathLike): FileReading | undefined {
  const stats = lstatSync(place)
  const mode = gitModeOf(stats)
  if (mode === undefined || !isLink(mode)) return undefined
  return { kind: 'read', mode, stats, bytes: readlinkSync(place, 'buffer') }
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
    const file = openFile(place)
    const mode = gitModeOf(file.stats)
    if (mode !== undefined && file.stats.size > largeFile) return { kind: 'large', mode, file }
    try {
      if (mode === undefined) return { kind: 'gone' }
      const bytes = await readWhole(file, scratch)
      const read = { kind: 'read', mode, stats: file.stats, bytes } as const
      if (file.isSame()) return attempt === 1 ? read : { ...read, changed: 'once' }
      if (attempt === attempts) return { ...read, changed: 'always' }
    } finally {
      file.close()
    }
  }
}

interface OpenDescriptor extends OpenFile {
  readonly fd: number
}

function openFile(place: PathLike): OpenDescriptor {
  const fd = openSync(place, readFlags)
  const stats = fstatSync(fd)
  return {
    fd,
    stats,
    async *chunks(signal) {
      const buffer = Buffer.allocUnsafe(chunkBytes)
      for (let at = 0; at < stats.size; ) {
        signal?.throwIfAborted()
        const wanted = Math.min(chunkBytes, stats.size - at)
        const { bytesRead } = await readLater(fd, buffer, 0, wanted, at)
        if (bytesRead === 0) throw new Error('it was cut short while it was read')
        at += bytesRead
        yield buffer.subarray(0, bytesRead)
      }
    },
    isSame: () => isSameState(stats, fstatSync(fd)),
    close: () => closeSync(fd),
  }
}

/** Up to the size that it had when it was opened. */
async function readWhole({ fd, stats }: OpenDescriptor, scratch: Buffer): Promise<Buffer> {
  const isSmall = stats.size <= scratch.length
  const bytes = isSmall ? scratch.subarray(0, stats.size) : Buffer.allocUnsafe(stats.size)
  let length = 0
  while (length < bytes.length) {
    const left = bytes.length - length
    const count =
      left <= smallRead
        ? readSync(fd, bytes, length, left, length)
        : (await readLater(fd, bytes, length, left, length)).bytesRead
    if (count === 0) break
    length += count
  }
  return bytes.subarray(0, length)
}

function obstacle(error: unknown): FileReading {
  const code = errorCode(error) ?? 'UNKNOWN'
  return changedMeanwhile.has(code) ? { kind: 'gone' } : { kind: 'unreadable', code }
}

/** It was a file a moment ago, and is now something else, or nothing. */
const changedMeanwhile = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO'])
