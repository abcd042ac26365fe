import { setImmediate } from 'node:timers/promises'
import type { FileNode } from '@weave/protocol'

/** The node that says how many are left out counts too. */
const mostNodes = 5_000
const restName = '…'

type TimedFiles = ReadonlyMap<string, { readonly mtimeMs: number }>

/**
 * The tree that clients see: the given files (`/`-separated paths) and the directories that lead to them; directories
 * first, then files, each in code-unit order. Directories carry no time: theirs says nothing about what they hold.
 *
 * Holds at most `limit` nodes. What lies deepest is left out first, so that the upper levels stay whole; then the last
 * node is called `…` and its path says how many are missing. Gives the event loop turns.
 */
export async function buildFileTree(files: TimedFiles, limit = mostNodes): Promise<readonly FileNode[]> {
  const { root, total } = await foldersOf(files)
  const tree: FileNode[] = []
  let left = total <= limit ? total : limit - 1
  let level: readonly Place[] = [{ folder: root, nodes: tree }]
  while (level.length > 0 && left > 0) {
    const below: Place[] = []
    for (const { folder, nodes } of level) {
      for (const inner of sortedBy(folder.folders, left)) {
        const children: FileNode[] = []
        nodes.push({ name: inner.name, path: inner.path, isDirectory: true, children })
        below.push({ folder: inner, nodes: children })
        left--
      }
      for (const file of sortedBy(folder.files, left)) {
        nodes.push(fileNode(file))
        left--
      }
    }
    level = below
  }
  if (total > limit) tree.push(restNode(total - limit + 1))
  return tree
}

interface Named {
  readonly name: string
  readonly path: string
}

interface File extends Named {
  readonly mtimeMs: number
}

interface Folder extends Named {
  readonly folders: Folder[]
  readonly files: File[]
}

/** A folder and the list that its contents go to. */
interface Place {
  readonly folder: Folder
  readonly nodes: FileNode[]
}

const filesPerTurn = 5_000

async function foldersOf(files: TimedFiles): Promise<{ readonly root: Folder; readonly total: number }> {
  const root: Folder = { name: '', path: '', folders: [], files: [] }
  const known = new Map([['', root]])
  let total = 0
  for (const [path, { mtimeMs }] of files) {
    const slash = path.lastIndexOf('/')
    const folder = folderAt(known, path.slice(0, Math.max(slash, 0))) ?? root
    folder.files.push({ name: path.slice(slash + 1), path, mtimeMs })
    if (++total % filesPerTurn === 0) await setImmediate()
  }
  return { root, total: total + known.size - 1 }
}

function folderAt(known: Map<string, Folder>, path: string): Folder {
  const existing = known.get(path)
  if (existing) return existing
  const slash = path.lastIndexOf('/')
  const folder: Folder = { name: path.slice(slash + 1), path, folders: [], files: [] }
  known.set(path, folder)
  folderAt(known, path.slice(0, Math.max(slash, 0))).folders.push(folder)
  return folder
}

function sortedBy<T extends Named>(items: readonly T[], most: number): readonly T[] {
  return most === 0 ? [] : items.toSorted((a, b) => (a.name < b.name ? -1 : 1)).slice(0, most)
}

function fileNode({ name, path, mtimeMs }: File): FileNode {
  const modified = new Date(mtimeMs)
  const isTime = !Number.isNaN(modified.getTime())
  return {
    name,
    path,
    isDirectory: false,
    children: [],
    ...(isTime && { lastModified: modified.toISOString() }),
  }
}

function restNode(count: number): FileNode {
  return { name: restName, path: `${restName} ${count} more`, isDirectory: false, children: [] }
}
