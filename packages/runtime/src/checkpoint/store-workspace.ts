import { setImmediate } from 'node:timers/promises'
import { createDirectoryChain, createFileReader, splitPath } from '../files/index.ts'
import type { FileSelection } from './file-selection.ts'
import type { FileSystem } from './file-system.ts'
import type { IndexFile } from './index-file.ts'
import {
  countFiles,
  ensureDirectory,
  fileAt,
  type KnownDirectory,
  removeDirectory,
  removeFile,
  type Stamp,
  setFile,
} from './known-tree.ts'
import { type CheckpointNote, createNotes, manyFiles, manyFilesCount, type Notes } from './note.ts'
import { binaryId, hexId } from './object-id.ts'
import { createObjectWriter, type ObjectWriter } from './object-writer.ts'
import { type StoredFile, storeFile } from './store-file.ts'
import { writeTrees } from './tree-objects.ts'
import { type Look, lookAtWorkspace } from './workspace-look.ts'
import type { MemoryKeeper } from './workspace-memory.ts'

export interface StorePlace {
  readonly gitDir: string
  readonly workTree: string
  readonly fileSystem: FileSystem
  readonly index: IndexFile
  readonly memory: MemoryKeeper
}

export interface StoreRequest {
  readonly selection: FileSelection
  readonly signal?: AbortSignal | undefined
}

export interface StoredWorkspace {
  readonly tree: string
  readonly files: number
  readonly notes: readonly CheckpointNote[]
  /** The tree was the last one stored before, too. */
  readonly isSame: boolean
  /** The state in which a file was stored. */
  stampOf(path: string): Stamp | undefined
}

/** Makes the tree reachable: adds objects, flushes the writer, and writes a ref. */
export type Anchoring<Result> = (stored: StoredWorkspace, writer: ObjectWriter) => Promise<Result>

/**
 * Puts the selected files as they are on the disk into the store: looks, reads what is new, writes what the store lacks.
 * Resolves with what `anchor` resolves with. Rejects with the system's error, with the reason of the signal, or as
 * `anchor` does; the refs are then what they were. One call at a time.
 */
export async function storeWorkspace<Result>(
  { selection, signal }: StoreRequest,
  place: StorePlace,
  anchor: Anchoring<Result>,
): Promise<Result> {
  const { workTree, fileSystem, index, gitDir } = place
  const notes = createNotes()
  const writer = createObjectWriter(gitDir)
  const memory = await place.memory.recall()
  const { root } = memory
  const unlisted = memory.selection === selection ? memory.unlisted : undefined
  const look = await lookAtWorkspace({
    workTree,
    selection,
    known: root,
    fileSystem,
    notes,
    signal,
    unlisted,
    index,
  })
  const contents = await storeContents(look, { root, notes, writer, place, signal })

  // From here on what is known runs ahead of what is stored, until the anchor holds (T1).
  try {
    const before = root.tree
    await learn(root, look, { contents, isNew: place.memory.addUnlisted })
    const tree = await writeTrees(root, writer)
    const files = countFiles(root)
    if (files > manyFilesCount) notes.add(manyFiles(...mostFiles(root)))
    const stored: StoredWorkspace = {
      tree,
      files,
      notes: notes.all,
      isSame: tree === before,
      stampOf: path => fileAt(root, path)?.stamp,
    }
    const result = await anchor(stored, writer)
    memory.selection = selection
    place.memory.review(look)
    return result
  } catch (error) {
    place.memory.forget()
    throw error
  }
}

type Contents = ReadonlyMap<string, StoredFile | 'gone' | 'unreadable'>

interface Storing {
  readonly root: KnownDirectory
  readonly notes: Notes
  readonly writer: ObjectWriter
  readonly place: StorePlace
  readonly signal: AbortSignal | undefined
}

const filesPerTurn = 32

async function storeContents(look: Look, { root, notes, writer, place, signal }: Storing): Promise<Contents> {
  const contents = new Map<string, StoredFile | 'gone' | 'unreadable'>()
  const directories = createDirectoryChain(place.workTree)
  const read = createFileReader()
  const context = { gitDir: place.gitDir, directories, writer, notes, signal, read, now: look.now }
  try {
    // Neighbours after each other: each directory is opened once.
    for (const [turn, path] of look.found.toSorted().entries()) {
      if (turn % filesPerTurn === 0) await setImmediate()
      signal?.throwIfAborted()
      const file = fileAt(root, path)
      contents.set(path, await storeFile(path, file && hexId(file.id), context))
    }
    return contents
  } finally {
    directories.close()
  }
}

const learnedPerTurn = 2_000

interface Lesson {
  readonly contents: Contents
  readonly isNew: (path: string) => void
}

async function learn(root: KnownDirectory, look: Look, { contents, isNew }: Lesson): Promise<void> {
  for (const path of look.gone) removeFile(root, path)
  for (const path of look.goneDirectories) removeDirectory(root, path)
  const unread = [...look.unread]
  let turn = 0
  for (const [path, content] of contents) {
    if (++turn % learnedPerTurn === 0) await setImmediate()
    if (content === 'gone') removeFile(root, path)
    else if (content === 'unreadable') unread.push(path)
    else {
      if (!fileAt(root, path)) isNew(path)
      const { mode, oid, stamp } = content
      setFile(root, path, { mode, id: binaryId(oid), stamp })
    }
  }
  for (const [path, stamp] of look.directories) ensureDirectory(root, path).stamp = stamp
  // Once it can be read it will be new, and its directory will not say so.
  for (const path of unread) ensureDirectory(root, splitPath(path).parent).stamp = undefined
}

/** The directory right below the root that holds most of the files. */
function mostFiles(root: KnownDirectory): [path: string, files: number] {
  let most: [string, number] = ['', root.files.size]
  for (const [path, directory] of root.directories) {
    const files = countFiles(directory)
    if (files > most[1]) most = [path, files]
  }
  return most
}
