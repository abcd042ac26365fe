import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import type { Stats } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import type { EventData } from '@weave/protocol'
import { createDirectoryChain, namesOf, readFlags, readRegularFile, splitPath } from '../files/index.ts'
import { errorCode } from '../kit/index.ts'
import { type StatKey, statKeyOf } from './stat-key.ts'

/** The data of `file.updated`. */
export type FileUpdate = EventData<'file.updated'>

/** A file as a scan saw it. */
export interface SeenFile {
  readonly agentRoot: string
  readonly path: string
  readonly key: StatKey
  /** The time of the file system before it is read. */
  readonly now: number
  readonly signal?: AbortSignal
}

/** What a file holds, in the form in which it travels. */
export interface FileContent {
  readonly fields: Pick<FileUpdate, 'content' | 'bytes' | 'sha256' | 'omitted'>
  /** Hex; missing for a file of more than `largestHashed` bytes. */
  readonly sha256?: string
  /** From the descriptor the content was read from. */
  readonly key: StatKey
}

export type ContentResult =
  | { readonly kind: 'content'; readonly content: FileContent }
  /** There is no longer what the scan saw (gone, a link, another file), or it could not be read just now: scan again. */
  | { readonly kind: 'stale' }
  | { readonly kind: 'unreadable'; readonly code: string }

/** Text up to this size travels (`d5/file-content-limit`). */
export const largestContent = 1024 * 1024
/** A sparse file can claim any size; hashing this much takes some seconds. */
const largestHashed = 4 * 1024 ** 3

/**
 * Reads a file that a scan has seen, and only that one: when a link or another file has taken its place, or that of a
 * directory above it, the answer is `stale`. No directory is entered through a link, so nothing from outside the agent
 * workspace gets through. Rejects only with `signal.reason`.
 */
export async function readContent(file: SeenFile): Promise<ContentResult> {
  const { parent, name } = splitPath(file.path)
  let directories: ReturnType<typeof createDirectoryChain> | undefined
  try {
    directories = createDirectoryChain(file.agentRoot)
    const entered = directories.enter(namesOf(parent))
    return entered.ok ? await readAt(entered.directory.at(name), file) : { kind: 'stale' }
  } catch (error) {
    file.signal?.throwIfAborted()
    return failed(errorCode(error))
  } finally {
    directories?.close()
  }
}

async function readAt(place: string, file: SeenFile): Promise<ContentResult> {
  if (file.key.size > largestContent) return readLarge(place, file)
  const read = await readRegularFile(place, { maxBytes: largestContent })
  if (!read.ok) {
    if (read.reason === 'too-large') return readLarge(place, file)
    return read.reason === 'unreadable' ? failed(read.code) : { kind: 'stale' }
  }
  const key = emittedKeyOf(read.stat, file.now)
  return key.ino === file.key.ino
    ? { kind: 'content', content: contentOfBytes(read.bytes, key) }
    : { kind: 'stale' }
}

async function readLarge(place: string, { key, now, signal }: SeenFile): Promise<ContentResult> {
  const read = await digestFile(place, { maxBytes: largestHashed, ...(signal && { signal }) })
  if (!read.ok) return failed(read.code)
  const seen = emittedKeyOf(read.stat, now)
  // One that shrank meanwhile is for the next scan, which sees how small it is.
  if (seen.ino !== key.ino || read.bytes <= largestContent) return { kind: 'stale' }
  return { kind: 'content', content: contentOfDigest(read, seen) }
}

/** Of bytes that are in memory. */
export function contentOfBytes(bytes: Buffer, key: StatKey): FileContent {
  const text = createTextCheck()
  text.add(bytes)
  const isText = text.isText()
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  if (bytes.length > largestContent) return contentOfDigest({ bytes: bytes.length, sha256, isText }, key)
  const fields = isText
    ? { content: bytes.toString('utf8') }
    : { content: '', bytes: bytes.length, sha256, omitted: 'binary' as const }
  return { fields, sha256, key }
}

/** Of a file of more than `largestContent` bytes. */
export function contentOfDigest(
  digest: { readonly bytes: number; readonly sha256?: string; readonly isText: boolean },
  key: StatKey,
): FileContent {
  const sha256 = digest.sha256 === undefined ? {} : { sha256: digest.sha256 }
  const omitted = digest.isText ? ('large' as const) : ('binary' as const)
  return { fields: { content: '', bytes: digest.bytes, ...sha256, omitted }, ...sha256, key }
}

/**
 * A file from the future, because a clock was set back, would count as racy and be read in every scan until then: its key
 * is trusted instead.
 */
export function emittedKeyOf(stats: Stats, now: number): StatKey {
  const key = statKeyOf(stats, now)
  return key.isRacy && key.ctimeMs > now + trustedSkew ? { ...key, isRacy: false } : key
}

const trustedSkew = 60_000

export function updateOf(path: string, action: FileUpdate['action'], content?: FileContent): FileUpdate {
  const filename = path.slice(path.lastIndexOf('/') + 1)
  return { path, filename, action, ...(content?.fields ?? { content: '' }) }
}

/** Errors that are about us, or about a file that is no longer there, and not about one that cannot be read. */
const passing = new Set([
  'ENOENT',
  'ENOTDIR',
  'ELOOP',
  'ENXIO',
  'ENOTREG',
  'ESTALE',
  'EMFILE',
  'ENFILE',
  'ENOMEM',
  'EAGAIN',
  'EBUSY',
])

function failed(code = 'UNKNOWN'): ContentResult {
  return passing.has(code) ? { kind: 'stale' } : { kind: 'unreadable', code }
}

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
    file = await open(path, readFlags)
    const stat = await file.stat()
    if (!stat.isFile()) return { ok: false, code: 'ENOTREG' }
    if (stat.size > maxBytes) {
      const start = await readParts(file, partBytes, signal)
      return { ok: true, stat, bytes: stat.size, isText: start.isTextSoFar() }
    }
    const whole = await readParts(file, stat.size, signal)
    return { ok: true, stat, ...whole.digest() }
  } catch (error) {
    signal?.throwIfAborted()
    return { ok: false, code: errorCode(error) ?? 'UNKNOWN' }
  } finally {
    await file?.close().catch(() => undefined)
  }
}

/** The hash of this much is a matter of a millisecond. */
const partBytes = 1024 * 1024

async function readParts(file: FileHandle, length: number, signal?: AbortSignal): Promise<ContentDigest> {
  const buffer = Buffer.allocUnsafe(Math.min(partBytes, Math.max(length, 1)))
  const digest = createContentDigest()
  for (let bytes = 0; bytes < length; ) {
    signal?.throwIfAborted()
    const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, length - bytes), bytes)
    if (bytesRead === 0) break
    digest.add(buffer.subarray(0, bytesRead))
    bytes += bytesRead
  }
  return digest
}

export interface ContentDigest {
  add(part: Buffer): void
  digest(): { readonly bytes: number; readonly sha256: string; readonly isText: boolean }
  isTextSoFar(): boolean
}

export function createContentDigest(): ContentDigest {
  const hash = createHash('sha256')
  const text = createTextCheck()
  let bytes = 0
  return {
    add(part) {
      hash.update(part)
      text.add(part)
      bytes += part.length
    },
    digest: () => ({ bytes, sha256: hash.digest('hex'), isText: text.isText() }),
    isTextSoFar: text.isTextSoFar,
  }
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
