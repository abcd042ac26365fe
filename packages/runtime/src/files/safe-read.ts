import { constants, type Stats } from 'node:fs'
import { type FileHandle, lstat, open } from 'node:fs/promises'
import { errorCode } from '../kit/index.ts'

export type ReadFailure = 'missing' | 'symlink' | 'not-regular' | 'too-large' | 'unreadable'

export type ReadResult =
  | { readonly ok: true; readonly bytes: Buffer; readonly stat: Stats }
  | { readonly ok: false; readonly reason: ReadFailure; readonly code?: string; readonly message: string }

/**
 * Reads a file that someone else may be changing, planting or swapping under our hands.
 *
 * Never rejects, never follows a link in the last component, never waits on a FIFO or a device, never reads more than
 * `maxBytes`. `bytes` and `stat` come from one descriptor. A file that is replaced between the look and the open is
 * looked at again, a few times, then `unreadable` with code ESTALE. Links in the directories above are the business of
 * `resolveInside`.
 */
export async function readRegularFile(
  path: string,
  { maxBytes }: { readonly maxBytes: number },
): Promise<ReadResult> {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const result = await readOnce({ path, maxBytes })
    if (result !== 'replaced') return result
  }
  return { ok: false, reason: 'unreadable', code: 'ESTALE', message: `${path} is replaced again and again` }
}

const attempts = 5
// Without O_NONBLOCK an open of a FIFO waits for a writer and holds one of the few threads that do all file work.
const readFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

interface Wanted {
  readonly path: string
  readonly maxBytes: number
}

async function readOnce(wanted: Wanted): Promise<ReadResult | 'replaced'> {
  let file: FileHandle | undefined
  try {
    const seen = await lstat(wanted.path)
    const wrong = refusal(wanted, seen)
    if (wrong) return wrong
    file = await open(wanted.path, readFlags)
    const stat = await file.stat()
    if (stat.ino !== seen.ino || stat.dev !== seen.dev) return 'replaced'
    return refusal(wanted, stat) ?? (await readBounded(wanted, file, stat))
  } catch (error) {
    return failureOf(wanted.path, error)
  } finally {
    await file?.close().catch(() => undefined)
  }
}

function refusal({ path, maxBytes }: Wanted, stat: Stats): ReadResult | undefined {
  if (stat.isSymbolicLink()) return { ok: false, reason: 'symlink', message: `${path} is a symbolic link` }
  if (!stat.isFile()) return { ok: false, reason: 'not-regular', message: `${path} is not a regular file` }
  if (stat.size > maxBytes) return tooLarge({ path, maxBytes })
  return undefined
}

/** The size in `stat` is a hint: the file may grow while it is read, and some files of the system claim to be empty. */
async function readBounded({ path, maxBytes }: Wanted, file: FileHandle, stat: Stats): Promise<ReadResult> {
  let buffer = Buffer.allocUnsafe(stat.size + 1)
  let length = 0
  for (;;) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length, length)
    length += bytesRead
    if (length > maxBytes) return tooLarge({ path, maxBytes })
    if (bytesRead === 0) return { ok: true, bytes: buffer.subarray(0, length), stat }
    if (length === buffer.length) buffer = grown(buffer, maxBytes + 1)
  }
}

function grown(buffer: Buffer, limit: number): Buffer<ArrayBuffer> {
  const larger = Buffer.allocUnsafe(Math.min(Math.max(buffer.length * 2, 4096), limit))
  buffer.copy(larger)
  return larger
}

function tooLarge({ path, maxBytes }: Wanted): ReadResult {
  return { ok: false, reason: 'too-large', message: `${path} is larger than ${maxBytes} bytes` }
}

function failureOf(path: string, error: unknown): ReadResult {
  const code = errorCode(error)
  const message = error instanceof Error ? error.message : `${path} cannot be read`
  return { ok: false, reason: reasonOf(code), message, ...(code !== undefined && { code }) }
}

function reasonOf(code: string | undefined): ReadFailure {
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return 'missing'
    case 'ELOOP':
      return 'symlink'
    case 'ENXIO':
      return 'not-regular'
    default:
      return 'unreadable'
  }
}
