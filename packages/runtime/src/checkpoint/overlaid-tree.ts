import type { Git } from './git.ts'
import { createDirectory, type KnownDirectory, type Stamp, setFile } from './known-tree.ts'
import { binaryId } from './object-id.ts'
import { createObjectWriter } from './object-writer.ts'
import { listTree } from './read-checkpoints.ts'
import { writeTrees } from './tree-objects.ts'

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
        setFile(root, path, { mode, id: binaryId(oid), stamp: noStamp })
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

/** Nobody looks at the disk with this tree. */
const noStamp: Stamp = {
  size: 0,
  mtimeMs: 0,
  ctimeMs: 0,
  ino: 0,
  uid: 0,
  gid: 0,
  isYoung: true,
  isSettled: false,
}
