import { setImmediate } from 'node:timers/promises'
import { createTreeReader } from '../files/index.ts'
import {
  type Contents,
  countFiles,
  fileAt,
  type Gap,
  hexId,
  type KnownDirectory,
  type KnownFile,
  type ScanObserver,
  type Selection,
  type StatKey,
  type StoredScan,
  type StoredTree,
} from '../tree/index.ts'
import { type CheckpointNote, createNotes, manyFiles, manyFilesCount, unreadable } from './note.ts'
import { createObjectWriter, type ObjectWriter } from './object-writer.ts'
import { type StoreFileContext, storeFile } from './store-file.ts'
import { writeTrees } from './tree-objects.ts'

export interface StorePlace {
  readonly gitDir: string
  readonly workTree: string
  readonly files: StoredTree
}

export interface StoreRequest {
  /** The same object as long as it selects the same files: scanning is then several times faster. */
  readonly selection: Selection
  readonly signal?: AbortSignal | undefined
  /** Hears what is stored, as it is read. */
  readonly observer?: ScanObserver | undefined
  /** Of the files that are new or changed, how many are stored. Called often; must not throw. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined
}

export interface StoredWorkspace {
  readonly tree: string
  readonly files: number
  readonly notes: readonly CheckpointNote[]
  /** The tree was the last one stored before, too. */
  readonly isSame: boolean
  /** The state in which a file was stored. */
  keyOf(path: string): StatKey | undefined
}

/**
 * Puts the selected files as they are on the disk into the store: scans, reads what is new, writes what the store lacks;
 * `anchor` makes the tree reachable: adds objects, flushes the writer, and writes a ref. Rejects with the system's error,
 * with the reason of the signal, or as `anchor` does; the refs are then what they were. One call at a time.
 */
export async function storeWorkspace<Result>(
  { selection, signal, observer, onProgress }: StoreRequest,
  place: StorePlace,
  anchor: (stored: StoredWorkspace, writer: ObjectWriter) => Promise<Result>,
): Promise<Result> {
  const notes = createNotes()
  const writer = createObjectWriter(place.gitDir)
  const scan = await place.files.scan({ selection, signal, onGap: gap => notes.add(noteOf(gap)) })
  const more = (await observer?.scanned(scan, selection)) ?? []
  const paths = [...new Set([...scan.found.keys(), ...more])].sort()
  const storing = { ...place, notes, writer, signal, observer, onProgress }
  const contents = await storeContents(paths, scan, storing)
  await observer?.finished()

  try {
    const { root } = scan
    const before = root.tree
    await place.files.learn(scan, contents)
    const tree = await writeTrees(root, writer)
    const files = countFiles(root)
    if (files > manyFilesCount) notes.add(manyFiles(...mostFiles(root)))
    const keyOf = (path: string) => fileAt(root, path)?.key
    const result = await anchor({ tree, files, notes: notes.all, isSame: tree === before, keyOf }, writer)
    place.files.keep(scan, selection)
    return result
  } catch (error) {
    place.files.forget()
    throw error
  }
}

function noteOf(gap: Gap): CheckpointNote {
  return unreadable(gap.path, gap.kind === 'capped' ? 'nested too deeply' : gap.code)
}

type Storing = StorePlace &
  Pick<StoreFileContext, 'notes' | 'writer' | 'signal' | 'observer'> &
  Pick<StoreRequest, 'onProgress'>

const filesPerTurn = 32

/** In the order of the paths, so that neighbours follow each other and each directory is opened once. */
async function storeContents(
  paths: readonly string[],
  { root, now }: StoredScan,
  storing: Storing,
): Promise<Contents> {
  const contents = new Map<string, KnownFile | 'gone' | 'unreadable'>()
  const reader = createTreeReader(storing.workTree)
  const context = { ...storing, reader, now }
  try {
    for (const [turn, path] of paths.entries()) {
      if (turn % filesPerTurn === 0) {
        storing.onProgress?.(turn, paths.length)
        await setImmediate()
      }
      storing.signal?.throwIfAborted()
      const file = fileAt(root, path)
      contents.set(path, await storeFile(path, file && hexId(file.id), context))
    }
    return contents
  } finally {
    reader.close()
  }
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
