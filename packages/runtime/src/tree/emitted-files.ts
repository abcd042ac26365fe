import { splitPath } from '../files/index.ts'
import { type FileContent, type FileUpdate, updateOf } from './content.ts'
import { createDirectory, ensureDirectory, fileAt, removeFile } from './known-tree.ts'
import type { StatKey } from './stat-key.ts'

/** A file of the agent workspace as it was last emitted. */
export interface EmittedFile {
  key: StatKey
  /** Of its content, if that was ever read. */
  sha256: string | undefined
  /** In the workspace, but never emitted, because it cannot be read. */
  readonly isSilent: boolean
}

export type EmittedFiles = ReturnType<typeof createEmittedFiles>

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
export function createEmittedFiles() {
  const root = createDirectory<EmittedFile>()
  const get = (path: string) => fileAt(root, path)
  const set = (path: string, file: EmittedFile) => {
    const { parent, name } = splitPath(path)
    ensureDirectory(root, parent).files.set(name, file)
  }
  return {
    root,
    get,
    /** Takes a file as it is, without emitting it. */
    adopt: (path: string, key: StatKey) => set(path, { key, sha256: undefined, isSilent: false }),
    /** Takes in what a file holds. Returns what is news. */
    accept(path: string, content: FileContent): FileUpdate | undefined {
      const before = get(path)
      const { key, sha256 } = content
      set(path, { key, sha256, isSilent: false })
      if (!before || before.isSilent) return updateOf(path, 'created', content)
      const isSame = before.sha256 === undefined ? isAsBefore(before.key, key) : before.sha256 === sha256
      return isSame ? undefined : updateOf(path, 'modified', content)
    },
    /** Takes in a file that cannot be read as it was seen: it is read again when it changes. */
    acceptUnread(path: string, seen: StatKey): void {
      const before = get(path) ?? { sha256: undefined, isSilent: true }
      set(path, { ...before, key: { ...seen, isRacy: false } })
    },
    /** Takes in that a file is gone. Returns what is news. */
    forget(path: string): FileUpdate | undefined {
      const before = get(path)
      removeFile(root, path)
      return before?.isSilent ? undefined : updateOf(path, 'deleted')
    },
  }
}

/** A change of mode or of the number of names moves the time of change alone. */
function isAsBefore(before: StatKey, key: StatKey): boolean {
  return before.size === key.size && before.mtimeMs === key.mtimeMs && before.ino === key.ino
}
