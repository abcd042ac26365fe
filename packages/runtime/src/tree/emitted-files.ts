import type { FileChange } from './changes.ts'
import { type ContentResult, type FileUpdate, updateOf } from './content.ts'
import type { StatKey } from './stat-key.ts'

/**
 * The files of the agent workspace as they were last emitted. Does no I/O.
 *
 * - **F1** What was emitted of a file last, or what it was at the start, is what the next scan is compared with. So a change
 *   is emitted once, however many scans see it, and one that could not be emitted is found again by the next scan.
 * - **F2** Content and key come from one descriptor: what is written afterwards leaves another key, or the key is racy and
 *   the content is compared once more.
 * - **F3** A file with the same content as last known is not emitted. Without a known content a new size, time or file is
 *   enough.
 */
export interface EmittedFiles {
  readonly files: ReadonlyMap<string, StatKey>
  /** Takes a file as it is, without emitting it. */
  adopt(path: string, key: StatKey): void
  /** Remembers the content of an adopted file. */
  fingerprint(path: string, sha256: string): void
  hasFingerprint(path: string): boolean
  /** Takes in a change as it was found on reading. */
  accept(change: FileChange, result: ContentResult): Accepted
  /** Takes in that a file is gone. */
  forget(path: string): Accepted
}

export type Accepted =
  | { readonly kind: 'emit'; readonly update: FileUpdate }
  /** It came or went, but nothing can be said about its content. */
  | { readonly kind: 'silent' }
  | { readonly kind: 'same' }
  /** It was changed again before it was read. Nothing is taken in. */
  | { readonly kind: 'stale' }

export function createEmittedFiles(): EmittedFiles {
  const files = new Map<string, StatKey>()
  const hashes = new Map<string, string>()
  /** In the workspace, but never emitted, because they cannot be read. */
  const silent = new Set<string>()

  function accept({ path, kind, key: seen }: FileChange, result: ContentResult): Accepted {
    if (result.kind === 'stale') return { kind: 'stale' }
    if (result.kind === 'unreadable') {
      files.set(path, { ...seen, isRacy: false })
      if (kind !== 'created') return { kind: 'same' }
      silent.add(path)
      return { kind: 'silent' }
    }
    const { sha256, key } = result.content
    const before = hashes.get(path)
    files.set(path, key)
    if (sha256 === undefined) hashes.delete(path)
    else hashes.set(path, sha256)
    const isFirst = silent.delete(path) || kind === 'created'
    const isSame = before === undefined ? kind === 'doubtful' : before === sha256
    if (isSame && !isFirst) return { kind: 'same' }
    return { kind: 'emit', update: updateOf(path, isFirst ? 'created' : 'modified', result.content) }
  }

  function forget(path: string): Accepted {
    files.delete(path)
    hashes.delete(path)
    return silent.delete(path) ? { kind: 'silent' } : { kind: 'emit', update: updateOf(path, 'deleted') }
  }

  return {
    files,
    adopt: (path, key) => void files.set(path, key),
    fingerprint: (path, sha256) => void hashes.set(path, sha256),
    hasFingerprint: path => hashes.has(path),
    accept,
    forget,
  }
}
