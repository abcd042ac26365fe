import type { Stats } from 'node:fs'
import {
  type DirectoryChain,
  type FileReader,
  type FileReading,
  type LargeFile,
  namesOf,
  splitPath,
} from '../files/index.ts'
import { type GitMode, gitModeOf } from './git-mode.ts'
import { type Stamp, stampOf } from './known-tree.ts'
import { writeLooseBlob } from './loose-object.ts'
import { changing, largeFile, largeFileBytes, type Notes, unreadable } from './note.ts'
import { blobIdOf } from './object-id.ts'
import type { ObjectWriter } from './object-writer.ts'

export interface StoreFileContext {
  readonly read: FileReader
  /** The time of the file system before anyone looked at the files. */
  readonly now: number
  readonly gitDir: string
  readonly directories: DirectoryChain
  readonly writer: ObjectWriter
  readonly notes: Notes
  readonly signal?: AbortSignal | undefined
}

export interface StoredFile {
  readonly mode: GitMode
  readonly oid: string
  /** Of the state in which it was read. */
  readonly stamp: Stamp
}

/**
 * Puts what a file holds, or where a link points, into the store. `gone`: neither is there. `unreadable`: noted.
 * Rejects with the system's error when the store cannot be written, or with the reason of the signal.
 */
export async function storeFile(
  path: string,
  stored: string | undefined,
  context: StoreFileContext,
): Promise<StoredFile | 'gone' | 'unreadable'> {
  const { writer, notes } = context
  const reading = await readAt(path, context)
  switch (reading.kind) {
    case 'gone':
      return 'gone'
    case 'unreadable':
      notes.add(unreadable(path, reading.code))
      return 'unreadable'
    case 'large':
      return storeLarge({ path, file: reading.file, stored }, context)
    case 'read': {
      const { stats, bytes, changed } = reading
      if (changed) notes.add(changing(path, changed))
      const oid = await writer.add('blob', bytes, stored)
      return { ...stateOf(stats, context.now), oid }
    }
  }
}

/** Of a regular file or a link. */
function stateOf(stats: Stats, now: number): Pick<StoredFile, 'mode' | 'stamp'> {
  const mode = gitModeOf(stats)
  if (mode === undefined) throw new Error('neither a file nor a link')
  return { mode, stamp: stampOf(stats, now) }
}

async function readAt(path: string, { directories, read }: StoreFileContext): Promise<FileReading> {
  const { parent, name } = splitPath(path)
  const entered = directories.enter(namesOf(parent))
  return entered.ok ? read(entered.directory.entry(name)) : { kind: 'gone' }
}

interface Large {
  readonly path: string
  readonly file: LargeFile
  readonly stored: string | undefined
}

async function storeLarge(
  { path, file, stored }: Large,
  { gitDir, notes, signal, now }: StoreFileContext,
): Promise<StoredFile | 'unreadable'> {
  const { stats } = file
  let unread: { readonly error: unknown } | undefined
  async function* chunks() {
    try {
      yield* file.chunks(signal)
    } catch (error) {
      unread = { error }
      throw error
    }
  }
  try {
    // Reading it once more costs less than storing it for nothing.
    const isStored = stored !== undefined && (await blobIdOf(file, signal)) === stored
    const oid = isStored ? stored : await writeLooseBlob(gitDir, { size: stats.size, chunks: chunks() })
    if (!file.isSame()) notes.add(changing(path, 'always'))
    if (stats.size > largeFileBytes) notes.add(largeFile(path, stats.size))
    return { ...stateOf(stats, now), oid }
  } catch (error) {
    signal?.throwIfAborted()
    if (!unread) throw error
    notes.add(unreadable(path, error instanceof Error ? error.message : 'unknown reason'))
    return 'unreadable'
  } finally {
    file.close()
  }
}
