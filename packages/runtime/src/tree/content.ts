import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import type { Stats } from 'node:fs'
import type { EventData } from '@weave/protocol'
import type { LargeFile } from '../files/index.ts'
import { type StatKey, statKeyOf } from './stat-key.ts'

/** The data of `file.updated`. */
export type FileUpdate = EventData<'file.updated'>

/** What a file holds, in the form in which it travels. */
export interface FileContent {
  readonly fields: Pick<FileUpdate, 'content' | 'bytes' | 'sha256' | 'omitted'>
  /** Hex; missing for a file of more than `largestHashed` bytes. */
  readonly sha256?: string
  /** From the descriptor the content was read from. */
  readonly key: StatKey
}

/** Text up to this size travels (`d5/file-content-limit`). */
export const largestContent = 1024 * 1024
/** A sparse file can claim any size; hashing this much takes some seconds. */
const largestHashed = 4 * 1024 ** 3

/** Of bytes that are in memory. */
export function contentOfBytes(bytes: Buffer, key: StatKey): FileContent {
  const sha256 = sha256Of(bytes)
  const isText = !bytes.includes(0) && isUtf8(bytes)
  return isText && bytes.length <= largestContent
    ? { fields: { content: bytes.toString('utf8') }, sha256, key }
    : contentOfDigest({ bytes: bytes.length, sha256, isText }, key)
}

export function sha256Of(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

export interface ContentDigest {
  readonly bytes: number
  /** Hex; missing when only the first part was read. */
  readonly sha256?: string
  /** No NUL and valid UTF-8, in what was read. */
  readonly isText: boolean
}

/** Of content that does not travel. */
export function contentOfDigest({ bytes, isText, ...hash }: ContentDigest, key: StatKey): FileContent {
  return { fields: { content: '', bytes, ...hash, omitted: isText ? 'large' : 'binary' }, ...hash, key }
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

/**
 * What can be said about a file that is too large to be held in memory; of one that is also too large to be hashed only
 * the first part is read. Rejects with what ends the reading.
 */
export async function digestLarge(
  file: Pick<LargeFile, 'stats' | 'chunks'>,
  { signal, maxBytes = largestHashed }: { readonly signal?: AbortSignal; readonly maxBytes?: number } = {},
): Promise<ContentDigest> {
  const { size } = file.stats
  const digester = createDigester()
  for await (const chunk of file.chunks(signal)) {
    digester.add(chunk)
    if (size > maxBytes) return { bytes: size, isText: digester.isTextSoFar() }
  }
  return digester.digest()
}

/** Takes in the parts of a file one after the other. */
export function createDigester() {
  const hash = createHash('sha256')
  const text = createTextCheck()
  let bytes = 0
  return {
    add(part: Buffer): void {
      hash.update(part)
      text.add(part)
      bytes += part.length
    },
    digest: () => ({ bytes, sha256: hash.digest('hex'), isText: text.isText() }),
    isTextSoFar: text.isTextSoFar,
  }
}

/** Whether parts, put together, are text. */
export function createTextCheck() {
  let valid = true
  let rest: Buffer = Buffer.alloc(0)
  return {
    add(part: Buffer): void {
      if (!valid) return
      const whole = rest.length === 0 ? part : Buffer.concat([rest, part])
      const end = lastCharacter(whole)
      valid = !part.includes(0) && isUtf8(whole.subarray(0, end))
      rest = Buffer.from(whole.subarray(end))
    },
    isText: () => valid && isUtf8(rest),
    /** The last part may end inside a character. */
    isTextSoFar: () => valid,
  }
}

/** Where the last character begins that may need bytes of the next part. */
function lastCharacter(bytes: Buffer): number {
  for (let at = bytes.length - 1; at >= Math.max(bytes.length - 3, 0); at--) {
    const byte = bytes[at] ?? 0
    if (byte < 0x80) break
    if (byte >= 0xc0) return at
  }
  return bytes.length
}
