import { closeSync, constants, fstatSync, openSync, type Stats } from 'node:fs'
import { type FileHandle, lstat, open } from 'node:fs/promises'
import { errorCode, wordsOf } from '../kit/index.ts'

// Without O_NONBLOCK an open of a FIFO waits for its other end, for ever, on one of the few threads that do all file
// work. Flags that a platform lacks are undefined there and count as 0.
const careful = constants.O_NOFOLLOW | constants.O_NONBLOCK
export const readFlags = constants.O_RDONLY | careful
export const overwriteFlags = constants.O_WRONLY | careful
export const createFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW

/** Opening a link is an error, as it is nearly everywhere. */
export const refusesLinks = constants.O_NOFOLLOW !== undefined

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
  const fd = openOrExplain(path)
  try {
    const stats = fstatSync(fd)
    if (!stats.isFile()) throw new Error('it is not a regular file')
    return { file: { fd, close: async () => closeSync(fd) }, stats }
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

function openOrExplain(path: string): number {
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

/**
 * Opens a file of our own, through a link too, but without waiting for the other end of a FIFO or a device. Rejects with
 * the system's error, or with one that names the path.
 */
export async function openRegularFile(path: string, flags: number = constants.O_RDONLY): Promise<FileHandle> {
  const file = await open(path, flags | constants.O_NONBLOCK)
  try {
    if ((await file.stat()).isFile()) return file
  } catch (error) {
    await file.close()
    throw error
  }
  await file.close()
  throw new Error(`${path} is not a regular file`)
}

export type ReadFailure = 'missing' | 'symlink' | 'not-regular' | 'too-large' | 'unreadable'

export type ReadResult =
  | { readonly ok: true; readonly bytes: Buffer; readonly stat: Stats }
  | { readonly ok: false; readonly reason: ReadFailure; readonly code?: string; readonly message: string }

/**
 * Reads a file that someone else may be changing, planting or swapping under our hands.
 *
 * Never rejects, never follows a link in the last component, never waits on a FIFO or a device, never reads more than
 * `maxBytes`. `bytes` and `stat` come from one descriptor. A file that is replaced between `lstat` and `open` is tried
 * again, a few times, then `unreadable` with code ESTALE. Links in the directories above are the business of
 * `resolveInside`.
 */
export async function readRegularFile(
  path: string,
  { maxBytes }: { readonly maxBytes: number },
): Promise<ReadResult> {
  for (let attempt = 1; attempt <= mostReplacements; attempt++) {
    const result = await readOnce(path, maxBytes)
    if (result !== 'replaced') return result
  }
  return { ok: false, reason: 'unreadable', code: 'ESTALE', message: `${path} is replaced again and again` }
}

const mostReplacements = 5

async function readOnce(path: string, maxBytes: number): Promise<ReadResult | 'replaced'> {
  const refusal = (stat: Stats): ReadResult | undefined => {
    if (stat.isSymbolicLink()) return { ok: false, reason: 'symlink', message: `${path} is a symbolic link` }
    if (!stat.isFile()) return { ok: false, reason: 'not-regular', message: `${path} is not a regular file` }
    return stat.size > maxBytes ? tooLarge : undefined
  }
  const message = `${path} is larger than ${maxBytes} bytes`
  const tooLarge = { ok: false, reason: 'too-large', message } as const
  let file: FileHandle | undefined
  try {
    const seen = await lstat(path)
    const wrong = refusal(seen)
    if (wrong) return wrong
    file = await open(path, readFlags)
    const stat = await file.stat()
    if (stat.ino !== seen.ino || stat.dev !== seen.dev) return 'replaced'
    const changed = refusal(stat)
    if (changed) return changed
    const bytes = await readBounded(file, stat, maxBytes)
    return bytes ? { ok: true, bytes, stat } : tooLarge
  } catch (error) {
    return failureOf(path, error)
  } finally {
    await file?.close().catch(() => undefined)
  }
}

/**
 * `undefined`: there is more. The size in `stat` is a hint: the file may grow while it is read, and some files of the
 * system claim to be empty.
 */
async function readBounded(file: FileHandle, stat: Stats, maxBytes: number): Promise<Buffer | undefined> {
  const parts: Buffer[] = []
  for (let length = 0; length <= maxBytes; ) {
    const size = Math.min(Math.max(stat.size + 1 - length, smallestPart), maxBytes + 1 - length)
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(size), 0, size, length)
    if (bytesRead === 0) return parts.length === 1 ? parts[0] : Buffer.concat(parts)
    parts.push(buffer.subarray(0, bytesRead))
    length += bytesRead
  }
  return undefined
}

const smallestPart = 4096

function failureOf(path: string, error: unknown): ReadResult {
  const code = errorCode(error)
  const message = error instanceof Error ? error.message : `${path} cannot be read`
  return {
    ok: false,
    reason: reasons.get(code) ?? 'unreadable',
    message,
    ...(code !== undefined && { code }),
  }
}

const reasons = new Map<string | undefined, ReadFailure>([
  ['ENOENT', 'missing'],
  ['ENOTDIR', 'missing'],
  ['ELOOP', 'symlink'],
  ['ENXIO', 'not-regular'],
])
