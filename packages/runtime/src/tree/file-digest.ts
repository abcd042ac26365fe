import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { errorCode } from '../kit/index.ts'

export type FileDigest =
  | {
      readonly ok: true
      readonly stat: Stats
      readonly bytes: number
      /** Hex; missing when the file is larger than `maxBytes`. */
      readonly sha256?: string
      /** No NUL and valid UTF-8, in what was read. */
      readonly isText: boolean
    }
  /** The system's code, or ENOTREG for something that is no regular file. */
  | { readonly ok: false; readonly code: string }

export interface DigestOptions {
  /** Of a larger file only the first part is read, and it has no digest. */
  readonly maxBytes: number
  readonly signal?: AbortSignal
}

/**
 * What can be said about a file that is too large to be held in memory. Reads in parts and gives the event loop a turn
 * between them. Never follows a link in the last component, never waits on a pipe; what is no regular file is `ok: false`.
 * A file that grows meanwhile is taken as long as it was. Rejects only with `signal.reason`.
 */
export async function digestFile(path: string, { maxBytes, signal }: DigestOptions): Promise<FileDigest> {
  let file: FileHandle | undefined
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const stat = await file.stat()
    if (!stat.isFile()) return { ok: false, code: 'ENOTREG' }
    if (stat.size > maxBytes) {
      const start = await readParts(file, { length: partBytes, signal })
      return { ok: true, stat, bytes: stat.size, isText: start.text.isTextSoFar() }
    }
    const { bytes, sha256, text } = await readParts(file, { length: stat.size, signal })
    return { ok: true, stat, bytes, sha256, isText: text.isText() }
  } catch (error) {
    signal?.throwIfAborted()
    return { ok: false, code: errorCode(error) ?? 'UNKNOWN' }
  } finally {
    await file?.close().catch(() => undefined)
  }
}

/** The hash of this much is a matter of a millisecond. */
const partBytes = 1024 * 1024

interface Reading {
  readonly length: number
  readonly signal: AbortSignal | undefined
}

async function readParts(file: FileHandle, { length, signal }: Reading) {
  const buffer = Buffer.allocUnsafe(Math.min(partBytes, Math.max(length, 1)))
  const hash = createHash('sha256')
  const text = createTextCheck()
  let bytes = 0
  while (bytes < length) {
    signal?.throwIfAborted()
    const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, length - bytes), bytes)
    if (bytesRead === 0) break
    const part = buffer.subarray(0, bytesRead)
    hash.update(part)
    text.add(part)
    bytes += bytesRead
  }
  return { bytes, sha256: hash.digest('hex'), text }
}

interface TextCheck {
  add(part: Buffer): void
  isText(): boolean
  /** The last part may end inside a character. */
  isTextSoFar(): boolean
}

/** Whether parts, put together, are text. */
export function createTextCheck(): TextCheck {
  let valid = true
  let rest = Buffer.alloc(0)
  return {
    add(part) {
      if (!valid) return
      const whole = rest.length === 0 ? part : Buffer.concat([rest, part])
      const end = whole.length - unfinishedBytes(whole)
      valid = !part.includes(0) && isUtf8(whole.subarray(0, end))
      rest = Buffer.from(whole.subarray(end))
    },
    isText: () => valid && rest.length === 0,
    isTextSoFar: () => valid,
  }
}

/** How many bytes at the end begin a character that needs more of them. */
function unfinishedBytes(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) return 0
    if (byte >= 0xc0) return lengthFrom(byte) > back ? back : 0
  }
  return 0
}

function lengthFrom(leadByte: number): number {
  if (leadByte >= 0xf0) return 4
  return leadByte >= 0xe0 ? 3 : 2
}
