import { setImmediate } from 'node:timers/promises'
import type { FileSelection } from './file-selection.ts'
import type { FileSystem } from './file-system.ts'
import type { IndexFile } from './index-file.ts'
import { countFiles, createDirectory, type KnownDirectory } from './known-tree.ts'
import type { Look } from './workspace-look.ts'

/** What is known of the workspace, from look to look and from start to start. */
export interface WorkspaceMemory {
  readonly root: KnownDirectory
  /** The selection for which everything is known; `undefined` after a start. */
  selection: FileSelection | undefined
  /** Files that the index file does not list, and perhaps some that it lists. `undefined`: there is no index file. */
  unlisted: ReadonlySet<string> | undefined
}

export interface MemoryKeeper {
  /** Never rejects: what cannot be remembered is looked up again. */
  recall(): Promise<WorkspaceMemory>
  /** A file is known that was not. */
  addUnlisted(path: string): void
  /** Something went wrong half-way: from now on only what the index file says is known. */
  forget(): void
  /** After a look: writes the index file anew, in the background, when its age has cost more than that costs. */
  review(look: Look): void
  /** Never rejects. */
  close(): Promise<void>
}

export interface MemoryPlace {
  readonly index: IndexFile
  readonly fileSystem: FileSystem
  /** Whether the store has this tree. Never rejects. */
  readonly hasTree: (tree: string) => Promise<boolean>
}

export function createMemoryKeeper({ index, fileSystem, hasTree }: MemoryPlace): MemoryKeeper {
  let memory: WorkspaceMemory | undefined
  /** Since the index file was written; two sets while it is being written. */
  let unlisted: readonly Set<string>[] = []
  let saving: Promise<void> | undefined
  let isSaved = true
  /** Files looked at one by one, since the index file was written, because it is old. */
  let wasted = 0
  let disappointments = 0

  async function load(): Promise<WorkspaceMemory> {
    const root = await index.load().catch(() => undefined)
    const isUsable = root?.tree !== undefined && (await hasTree(root.tree))
    const listed = isUsable ? new Set<string>() : undefined
    unlisted = listed ? [listed] : []
    return { root: isUsable ? root : createDirectory(), selection: undefined, unlisted: listed }
  }

  /** Whoever looked goes on first. */
  async function saveSoon(known: WorkspaceMemory): Promise<void> {
    await setImmediate()
    await save(known)
  }

  async function save(known: WorkspaceMemory): Promise<void> {
    const next = new Set<string>()
    unlisted = [...unlisted, next]
    wasted = 0
    isSaved = true
    try {
      await index.save(known.root, fileSystem.now())
      known.unlisted = next
      unlisted = [next]
    } catch {
      // Only slower: the file is one to remember by, and the next save may succeed.
      unlisted = unlisted.filter(set => set !== next)
    }
    saving = undefined
  }

  return {
    async recall() {
      // The sets of a save that is under way belong to what was known when it began.
      if (!memory) await saving
      memory ??= await load()
      return memory
    },
    addUnlisted(path) {
      for (const set of unlisted) set.add(path)
    },
    forget() {
      memory = undefined
    },
    review({ doubtful, found, gone }) {
      if (found.length + gone.length > 0) isSaved = false
      if (!memory || saving) return
      const files = countFiles(memory.root)
      if (files < fewFiles || disappointments === mostDisappointments) return
      disappointments = doubtful > files / 2 ? disappointments + 1 : 0
      wasted += memory.unlisted ? doubtful : files
      // A look that finds nothing may be the first half of a rollback, which would have to wait.
      const share = found.length + gone.length > 0 ? 20 : 2
      if (wasted > files / share) saving = saveSoon(memory)
    },
    async close() {
      await saving
      if (memory && !isSaved) await save(memory)
      index.close()
    },
  }
}

/** With fewer files, looking at all of them takes no longer than asking git. */
const fewFiles = 1_000
/** A git that compares times more exactly than we can write them takes everything for changed, every time. */
const mostDisappointments = 4
