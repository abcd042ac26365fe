import { setImmediate } from 'node:timers/promises'
import { splitPath } from '../files/index.ts'
import type { IndexFile } from './index-file.ts'
import {
  countFiles,
  createDirectory,
  ensureDirectory,
  fileAt,
  type KnownDirectory,
  type KnownFile,
  removeDirectory,
  removeFile,
  setFile,
} from './known-tree.ts'
import { type Scan, scanTree } from './scan.ts'
import type { Selection } from './selection.ts'
import { type FileSystem, statKeyOf } from './stat-key.ts'
import type { Gap } from './tree-walk.ts'

export interface ScannerPlace {
  readonly workTree: string
  readonly fileSystem: FileSystem
  readonly index: IndexFile
  /** Whether the store has this tree. Never rejects. */
  readonly hasTree: (tree: string) => Promise<boolean>
}

export interface StoredScanRequest {
  /** The same object as long as it selects the same files: only then git can be asked. */
  readonly selection: Selection
  readonly signal?: AbortSignal | undefined
  readonly onGap: (gap: Gap) => void
}

export interface StoredScan extends Scan {
  readonly root: KnownDirectory
}

/** What the files that were found came to. */
export type Contents = ReadonlyMap<string, KnownFile | 'gone' | 'unreadable'>

interface Memory {
  readonly root: KnownDirectory
  /** The selection for which everything is known; `undefined` after a start. */
  selection: Selection | undefined
  /** Files that the index file does not list, and perhaps some that it lists. `undefined`: there is no index file. */
  unlisted: ReadonlySet<string> | undefined
}

export type StoredTree = ReturnType<typeof createStoredTree>

/**
 * Scans of the work tree against what is in the store, from scan to scan and from start to start. One at a time: `scan`,
 * then `learn`, then `keep`, or `forget` when something went wrong between.
 */
export function createStoredTree({ workTree, index, fileSystem, hasTree }: ScannerPlace) {
  const cache = createCache({ index, fileSystem, hasTree })

  async function changedSince(unlisted: ReadonlySet<string>, signal: AbortSignal | undefined) {
    const changed = await index.changed(signal)
    return changed && [...new Set([...changed, ...unlisted])]
  }

  return {
    /** Of what is known now; `undefined` when nothing is. Never rejects. */
    treeId: async () => (await cache.recall()).root.tree,
    /** Rejects as `scanTree` does. */
    async scan({ selection, signal, onGap }: StoredScanRequest): Promise<StoredScan> {
      const { root, ...known } = await cache.recall()
      const unlisted = known.selection === selection ? known.unlisted : undefined
      const scan = await scanTree({
        workTree,
        selection,
        known: root,
        now: fileSystem.now(),
        signal,
        onGap,
        changedByGit:
          unlisted && fileSystem.marksDirectories ? () => changedSince(unlisted, signal) : undefined,
      })
      return { ...scan, root }
    },
    /** Takes in what was read; from here on what is known runs ahead of the store, until it is anchored there (T1). */
    learn: (scan: StoredScan, contents: Contents) => learn(scan, contents, cache.addUnlisted),
    keep: cache.keep,
    forget: cache.forget,
    /** Never rejects. */
    async close(): Promise<void> {
      await cache.close()
      index.close()
    },
  }
}

/** What is known, in memory and in the index file. */
function createCache({ index, fileSystem, hasTree }: Omit<ScannerPlace, 'workTree'>) {
  let memory: Memory | undefined
  /** Since the index file was written; two sets while it is being written. */
  let unlisted: readonly Set<string>[] = []
  let saving: Promise<void> | undefined
  let isSaved = true
  /** Files seen one by one, since the index file was written, because it is old. */
  let wasted = 0
  /** Scans in a row for which the index file was of no use. */
  let futile = 0

  async function load(): Promise<Memory> {
    const root = await index.load().catch(() => undefined)
    const isUsable = root?.tree !== undefined && (await hasTree(root.tree))
    const listed = isUsable ? new Set<string>() : undefined
    unlisted = listed ? [listed] : []
    return { root: isUsable ? root : createDirectory(), selection: undefined, unlisted: listed }
  }

  async function save(known: Memory): Promise<void> {
    const next = new Set<string>()
    unlisted = [...unlisted, next]
    wasted = 0
    isSaved = true
    try {
      await index.save(known.root, fileSystem.now())
      known.unlisted = next
      unlisted = [next]
    } catch {
      // Only slower: the file is a cache, and the next save may succeed.
      unlisted = unlisted.filter(set => set !== next)
    }
    saving = undefined
  }

  return {
    async recall(): Promise<Memory> {
      // The sets of a save that is under way belong to what was known when it began.
      if (!memory) await saving
      memory ??= await load()
      return memory
    },
    addUnlisted(path: string) {
      for (const set of unlisted) set.add(path)
    },
    /** From now on only what the index file says is known. */
    forget() {
      memory = undefined
    },
    /** What was learnt is in the store. Writes the index file anew, in the background, when its age has cost more. */
    keep({ doubtful, found, gone }: StoredScan, selection: Selection) {
      const isChanged = found.size + gone.size > 0
      if (isChanged) isSaved = false
      if (!memory) return
      const known = memory
      known.selection = selection
      if (saving) return
      const files = countFiles(known.root)
      if (files < fewFiles || futile === mostFutile) return
      futile = doubtful > files / 2 ? futile + 1 : 0
      wasted += known.unlisted ? doubtful : files
      // A scan that finds nothing may be the first half of a rollback, which would have to wait. Whoever scanned goes first.
      if (wasted > files / (isChanged ? 20 : 2)) saving = setImmediate().then(() => save(known))
    },
    async close() {
      await saving
      if (memory && !isSaved) await save(memory)
    },
  }
}

/** With fewer files, seeing all of them takes no longer than asking git. */
const fewFiles = 1_000
/** A git that keeps finer times than the index file can hold takes every file for changed, every time. */
const mostFutile = 4
const learnedPerTurn = 2_000

async function learn(scan: StoredScan, contents: Contents, onNew: (path: string) => void): Promise<void> {
  const { root } = scan
  for (const path of scan.gone) removeFile(root, path)
  for (const path of scan.goneDirectories) removeDirectory(root, path)
  const unread = [...scan.unread]
  let turn = 0
  for (const [path, content] of contents) {
    if (++turn % learnedPerTurn === 0) await setImmediate()
    if (content === 'gone') removeFile(root, path)
    else if (content === 'unreadable') unread.push(path)
    else {
      if (!fileAt(root, path)) onNew(path)
      setFile(root, path, content)
    }
  }
  for (const [path, stats] of scan.directories) ensureDirectory(root, path).key = statKeyOf(stats, scan.now)
  // Once it can be read it will be new, and its directory will not say so.
  for (const path of unread) ensureDirectory(root, splitPath(path).parent).key = undefined
}
