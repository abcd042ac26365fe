import { setImmediate } from 'node:timers/promises'
import { binaryOfName } from '../files/index.ts'
import type { GitMode } from './git-mode.ts'
import type { KnownDirectory } from './known-tree.ts'
import { binaryId } from './object-id.ts'
import type { ObjectWriter } from './object-writer.ts'

/**
 * Writes the tree objects that the store lacks and returns the id of the root. Directories without a file below them
 * are in no tree, as git has it, but for the root.
 */
export async function writeTrees(root: KnownDirectory, writer: ObjectWriter): Promise<string> {
  const written = await writeTree(root, { writer, count: 0 })
  if (written !== undefined) return written
  root.tree = await writer.add('tree', Buffer.alloc(0))
  return root.tree
}

interface Progress {
  readonly writer: ObjectWriter
  count: number
}

const treesPerTurn = 64

async function writeTree(directory: KnownDirectory, progress: Progress): Promise<string | undefined> {
  if (directory.tree !== undefined) return directory.tree
  const rows: TreeRow[] = []
  for (const [name, { mode, id }] of directory.files) {
    const key = binaryOfName(name)
    rows.push({ key, text: `${modeTexts[mode]} ${key}\0${id}` })
  }
  for (const [name, below] of directory.directories) {
    const oid = below.tree ?? (await writeTree(below, progress))
    if (oid === undefined) continue
    const binary = binaryOfName(name)
    rows.push({ key: `${binary}/`, text: `40000 ${binary}\0${binaryId(oid)}` })
  }
  if (rows.length === 0) return undefined
  if (++progress.count % treesPerTurn === 0) await setImmediate()
  directory.tree = await progress.writer.add('tree', encodeTree(rows))
  return directory.tree
}

/** Both with one character per byte. */
interface TreeRow {
  /** What git sorts by: a directory as if its name ended in `/`. */
  readonly key: string
  readonly text: string
}

const modeTexts: Readonly<Record<GitMode, string>> = {
  [0o100644]: '100644',
  [0o100755]: '100755',
  [0o120000]: '120000',
}

function encodeTree(rows: TreeRow[]): Buffer {
  rows.sort((a, b) => (a.key < b.key ? -1 : 1))
  return Buffer.from(rows.map(({ text }) => text).join(''), 'latin1')
}
