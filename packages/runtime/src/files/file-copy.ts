import { createHash } from 'node:crypto'
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsync,
  futimesSync,
  openSync,
  read,
  readSync,
  type Stats,
  unlinkSync,
  write,
  writeSync,
} from 'node:fs'
import { promisify } from 'node:util'
import { errorCode, wordsOf } from '../kit/index.ts'

export { wordsOf }

/** A regular file, open for reading. Whoever opened it closes it. */
export interface OpenFile {
  readonly file: { readonly fd: number; close(): Promise<void> }
  readonly stats: Stats
}

/**
 * Opens a regular file and nothing else: no link in the last component, and no FIFO or device, which could make the
 * process wait for ever. Rejects otherwise; the message says what is wrong with it and leaves naming it to the caller.
 */
export async function openRegular(path: string): Promise<OpenFile> {
  const fd = openForReading(path)
  try {
    const stats = fstatSync(fd)
    if (!stats.isFile()) throw new Error('it is not a regular file')
    return { file: { fd, close: async () => closeSync(fd) }, stats }
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

export interface CopyOptions {
  /** Permission bits, exact whatever the umask. */
  readonly mode: number
  /** The bytes are on the disk, not only on their way, before this is done. */
  readonly sync?: boolean
  readonly times?: { readonly atime: Date; readonly mtime: Date }
  readonly signal?: AbortSignal | undefined
}

/**
 * Copies what the file held when it was opened into a file that must not exist yet. Rejects with the system's error, or
 * the reason of the signal; then the new file is gone. A file that grows meanwhile is copied up to its old size; one that
 * shrinks is an error, since what was there is lost.
 */
export async function copyToNew(source: OpenFile, target: string, options: CopyOptions): Promise<void> {
  const fd = openSync(target, createFlags, 0o600)
  try {
    for await (const chunk of chunksOf(source, options.signal)) await writeAll(fd, chunk)
    fchmodSync(fd, options.mode)
    if (options.times) futimesSync(fd, options.times.atime, options.times.mtime)
    if (options.sync) await fsyncLater(fd)
  } catch (error) {
    unlinkSync(target)
    throw error
  } finally {
    closeSync(fd)
  }
}

export async function digestOf(source: OpenFile, signal?: AbortSignal): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of chunksOf(source, signal)) hash.update(chunk)
  return hash.digest('hex')
}

/** Set-user-id and its kin are not for copies. */
export function permissionsOf(stats: Stats): number {
  return stats.mode & 0o777
}

// Without O_NONBLOCK an open of a FIFO waits for a writer, for ever.
const readFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
const createFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
const largestChunk = 1 << 20
/** Below this the way to another thread and back costs several times the work: most files of a workspace. */
const smallChunk = 64 << 10
const [readLater, writeLater] = [promisify(read), promisify(write)]
export const fsyncLater = promisify(fsync)

/** Each chunk is good until the next is asked for. */
async function* chunksOf(
  { file, stats }: OpenFile,
  signal?: AbortSignal,
): AsyncGenerator<Buffer, void, undefined> {
  const buffer = Buffer.allocUnsafe(Math.min(stats.size, largestChunk))
  for (let position = 0; position < stats.size; ) {
    signal?.throwIfAborted()
    const length = Math.min(buffer.length, stats.size - position)
    const bytesRead =
      length <= smallChunk
        ? readSync(file.fd, buffer, 0, length, position)
        : (await readLater(file.fd, buffer, 0, length, position)).bytesRead
    if (bytesRead === 0) throw new Error('it was cut short while it was read')
    position += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

async function writeAll(fd: number, bytes: Buffer): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const rest = bytes.subarray(done)
    done += rest.length <= smallChunk ? writeSync(fd, rest) : (await writeLater(fd, rest)).bytesWritten
  }
}

function openForReading(path: string): number {
  try {
    return openSync(path, readFlags)
  } catch (error) {
    throw new Error(unopenable(error), { cause: error })
  }
}

function unopenable(error: unknown): string {
  switch (errorCode(error)) {
    case 'ELOOP':
      return 'it is a symbolic link'
    case 'ENXIO':
      return 'it is not a regular file'
    default:
      return wordsOf(error)
  }
}
