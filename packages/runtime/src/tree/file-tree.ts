import type { FileNode } from '@weave/protocol'
import type { KnownDirectory } from './known-tree.ts'

/** The node that says how many are left out counts too. */
const mostNodes = 5_000
const restName = '…'

type Folder = KnownDirectory<{ readonly key: { readonly mtimeMs: number } }>

/**
 * The tree that clients see: the given files and the directories that lead to them; directories first, then files, each in
 * code-unit order. Directories carry no time: theirs says nothing about what they hold.
 *
 * Holds at most `limit` nodes. What lies deepest is left out first, so that the upper levels stay whole; then the last
 * node is called `…` and its path says how many are missing.
 */
export function buildFileTree(root: Folder, limit = mostNodes): readonly FileNode[] {
  const sizes = new Map<Folder, number>()
  const total = countNodes(root, sizes)
  const tree: FileNode[] = []
  let left = total <= limit ? total : limit - 1
  const waiting: Place[] = [{ folder: root, prefix: '', nodes: tree }]
  for (const { folder, prefix, nodes } of waiting) {
    if (left === 0) break
    const leading = sorted(folder.directories).filter(([, inner]) => sizes.get(inner) !== 0)
    for (const [name, inner] of leading.slice(0, left)) {
      const path = prefix + name
      const children: FileNode[] = []
      nodes.push({ name, path, isDirectory: true, children })
      waiting.push({ folder: inner, prefix: `${path}/`, nodes: children })
      left--
    }
    for (const [name, { key }] of sorted(folder.files).slice(0, left)) {
      nodes.push(fileNode(name, prefix + name, key.mtimeMs))
      left--
    }
  }
  if (total > limit) tree.push(restNode(total - limit + 1))
  return tree
}

/** A folder and the list that its contents go to. */
interface Place {
  readonly folder: Folder
  readonly prefix: string
  readonly nodes: FileNode[]
}

/** Everything below that is a file or leads to one. */
function countNodes(folder: Folder, sizes: Map<Folder, number>): number {
  let size = folder.files.size
  for (const below of folder.directories.values()) {
    const inner = countNodes(below, sizes)
    if (inner > 0) size += inner + 1
  }
  sizes.set(folder, size)
  return size
}

function sorted<Item>(items: ReadonlyMap<string, Item>): readonly [string, Item][] {
  return [...items].sort(([a], [b]) => (a < b ? -1 : 1))
}

function fileNode(name: string, path: string, mtimeMs: number): FileNode {
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
