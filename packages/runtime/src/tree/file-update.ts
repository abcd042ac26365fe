import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { EventData } from '@weave/protocol'
import { readRegularFile } from '../files/index.ts'
import { createTextCheck, digestFile } from './file-digest.ts'
import { type FileStamp, isSameFile, stampOf } from './file-state.ts'

/** The data of `file.updated`. */
export type FileUpdate = EventData<'file.updated'>

/** A file as a look saw it. */
export interface SeenFile {
  readonly agentRoot: string
  readonly path: string
  readonly stamp: FileStamp
  readonly signal?: AbortSignal
}

/** What a file holds, in the form in which it travels. */
export interface FileContent {
  readonly fields: Pick<FileUpdate, 'content' | 'bytes' | 'sha256' | 'omitted'>
  /** Hex; missing for a file of more than `largestHashed` bytes. */
  readonly sha256?: string
  /** From the descriptor the content was read from. */
  readonly stamp: FileStamp
}

export type ContentResult =
  | { readonly kind: 'content'; readonly content: FileContent }
  /** There is no longer what the look saw (gone, a link, another file), or it could not be read just now: look again. */
  | { readonly kind: 'stale' }
  | { readonly kind: 'unreadable'; readonly code: string }

/** Decisions 5: text up to this size travels. */
export const largestContent = 1024 * 1024
/** A sparse file can claim any size; hashing this much takes some seconds. */
const largestHashed = 4 * 1024 ** 3

/**
 * Reads a file that a look has seen, and only that one: when a link or another file has taken its place, or that of a
 * directory above it, the answer is `stale`, whatever lies there. The look itself followed no link, so nothing from
 * outside the agent workspace gets through. Rejects only with `signal.reason`.
 */
export async function readContent(file: SeenFile): Promise<ContentResult> {
  if (file.stamp.size > largestContent) return readLarge(file)
  const read = await readRegularFile(join(file.agentRoot, file.path), { maxBytes: largestContent })
  if (!read.ok) {
    if (read.reason === 'too-large') return readLarge(file)
    return read.reason === 'unreadable' ? failed(read.code) : { kind: 'stale' }
  }
  const { bytes, stat } = read
  if (!isSameFile(stat, file.stamp)) return { kind: 'stale' }
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const fields = isText(bytes)
    ? { content: bytes.toString('utf8') }
    : { content: '', bytes: bytes.length, sha256, omitted: 'binary' as const }
  return { kind: 'content', content: { fields, sha256, stamp: stampOf(stat) } }
}

export function updateOf(path: string, action: FileUpdate['action'], content?: FileContent): FileUpdate {
  const filename = path.slice(path.lastIndexOf('/') + 1)
  return { path, filename, action, ...(content?.fields ?? { content: '' }) }
}

async function readLarge({ agentRoot, path, stamp, signal }: SeenFile): Promise<ContentResult> {
  const read = await digestFile(join(agentRoot, path), {
    maxBytes: largestHashed,
    ...(signal && { signal }),
  })
  if (!read.ok) return failed(read.code)
  const { stat, bytes, isText } = read
  // One that shrank meanwhile is for the next look, which sees how small it is.
  if (!isSameFile(stat, stamp) || bytes <= largestContent) return { kind: 'stale' }
  const sha256 = read.sha256 === undefined ? {} : { sha256: read.sha256 }
  const omitted = isText ? ('large' as const) : ('binary' as const)
  return {
    kind: 'content',
    content: { fields: { content: '', bytes, ...sha256, omitted }, ...sha256, stamp: stampOf(stat) },
  }
}

function isText(bytes: Buffer): boolean {
  const check = createTextCheck()
  check.add(bytes)
  return check.isText()
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
