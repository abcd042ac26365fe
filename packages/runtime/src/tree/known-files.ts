import { type FileChange, type FileStamp, isYoung, type SeenBefore } from './file-state.ts'
import { type ContentResult, type FileUpdate, updateOf } from './file-update.ts'

/**
 * The files of the agent workspace as they were last told. Does no I/O.
 *
 * - **F1** What was told of a file last, or what it was at the start, is what the next look is compared with. So a change is
 *   told once, however many looks see it, and one that could not be told is found again by the next look.
 * - **F2** Content and stamp come from one descriptor: what is written afterwards leaves another stamp, or the file counts
 *   as young and its content is compared once more.
 * - **F3** A file with the same content as last known is not told. Without a known content a new size, time or file is
 *   enough.
 */
export interface KnownFiles extends SeenBefore {
  /** Takes a file as it is, without telling it. */
  adopt(path: string, stamp: FileStamp, isYoung: boolean): void
  /** Remembers the content of an adopted file. */
  fingerprint(path: string, sha256: string): void
  hasFingerprint(path: string): boolean
  /** Takes in a change as it was found on reading; `readAt` is the wall clock just before that. */
  accept(change: FileChange, found: { readonly result: ContentResult; readonly readAt: number }): Accepted
  /** Takes in that a file is gone. */
  forget(path: string): Accepted
}

export type Accepted =
  | { readonly kind: 'tell'; readonly update: FileUpdate }
  /** It came or went, but nothing can be said about its content. */
  | { readonly kind: 'unspoken' }
  | { readonly kind: 'same' }
  /** It was changed again before it was read. Nothing is taken in. */
  | { readonly kind: 'stale' }

export function createKnownFiles(): KnownFiles {
  const files = new Map<string, FileStamp>()
  const young = new Set<string>()
  const hashes = new Map<string, string>()
  /** In the workspace, but never told, because they cannot be read. */
  const unspoken = new Set<string>()

  function note(path: string, stamp: FileStamp, stillYoung: boolean): void {
    files.set(path, stamp)
    if (stillYoung) young.add(path)
    else young.delete(path)
  }

  function accept(change: FileChange, { result, readAt }: Parameters<KnownFiles['accept']>[1]): Accepted {
    const { path, kind } = change
    if (result.kind === 'stale') return { kind: 'stale' }
    if (result.kind === 'unreadable') {
      note(path, change.stamp, false)
      if (kind !== 'created') return { kind: 'same' }
      unspoken.add(path)
      return { kind: 'unspoken' }
    }
    const { sha256, stamp } = result.content
    const before = hashes.get(path)
    note(path, stamp, isYoung(stamp, readAt))
    if (sha256 === undefined) hashes.delete(path)
    else hashes.set(path, sha256)
    const isFirst = unspoken.delete(path) || kind === 'created'
    const isSame = before === undefined ? kind === 'doubtful' : before === sha256
    if (isSame && !isFirst) return { kind: 'same' }
    return { kind: 'tell', update: updateOf(path, isFirst ? 'created' : 'modified', result.content) }
  }

  function forget(path: string): Accepted {
    files.delete(path)
    young.delete(path)
    hashes.delete(path)
    return unspoken.delete(path) ? { kind: 'unspoken' } : { kind: 'tell', update: updateOf(path, 'deleted') }
  }

  return {
    files,
    young,
    adopt: note,
    fingerprint: (path, sha256) => void hashes.set(path, sha256),
    hasFingerprint: path => hashes.has(path),
    accept,
    forget,
  }
}
