import { setImmediate } from 'node:timers/promises'
import { binaryOfName } from '../files/index.ts'
import {
  binaryId,
  createDirectory,
  type Git,
  type GitMode,
  type KnownDirectory,
  type StatKey,
  setFile,
} from '../tree/index.ts'
import { createObjectWriter, type ObjectWriter } from './object-writer.ts'
import { listTree } from './read-checkpoints.ts'

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

/** Files of another version that a version lacks because they were not selected when it was made. */
export interface Overlay {
  readonly sha: string
  /** Which of its files are meant. */
  takes(path: string): boolean
}

interface Place {
  readonly git: Git
  readonly gitDir: string
}

/** The id of a tree with the files of a version and those of the overlays. `undefined`: one of them is not there. */
export async function overlaidTree(
  sha: string,
  overlays: readonly Overlay[],
  { git, gitDir }: Place,
): Promise<string | undefined> {
  const root = createDirectory()
  for (const layer of [{ sha, takes: () => true }, ...overlays]) {
    const files = await listTree(git, layer.sha)
    if (!files) return undefined
    for (const { path, mode, oid } of files) {
      if (layer.takes(path) && isFree(root, path))
        setFile(root, path, { mode, id: binaryId(oid), key: noKey })
    }
  }
  const writer = createObjectWriter(gitDir)
  const tree = await writeTrees(root, writer)
  await writer.flush()
  return tree
}

/** Not where a file is, or a directory, or below a file. */
function isFree(root: KnownDirectory, path: string): boolean {
  let directory: KnownDirectory | undefined = root
  const names = path.split('/')
  for (const name of names.slice(0, -1)) {
    if (!directory) return true
    if (directory.files.has(name)) return false
    directory = directory.directories.get(name)
  }
  const last = names.at(-1) ?? ''
  return !directory?.files.has(last) && !directory?.directories.has(last)
}

/** Nothing on the disk is compared with this tree. */
const noKey: StatKey = {
  size: 0,
  mtimeMs: 0,
  ctimeMs: 0,
  ino: 0,
  uid: 0,
  gid: 0,
  isRacy: true,
  isSettled: false,
}
