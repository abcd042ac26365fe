import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  rmSync,
  statSync,
  utimesSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { createId } from '../kit/index.ts'

/** What the file system of the work tree does with times and permissions. */
export interface FileSystem {
  /** In milliseconds. What is changed after this call has this time or a later one. Throws the system's error. */
  now(): number
  /** A directory gets a new time when a name in it comes, goes or changes. */
  readonly marksDirectories: boolean
  /** The permissions that a new file does not get, whatever is asked for. */
  readonly umask: number
}

/**
 * Asks by making files in a folder of ours: the clock of a file system may be that of another machine, and counts in
 * steps of its own. The folder should lie on the same file system as the work tree; if it does not, only what has not
 * changed for a while is trusted. Throws the system's error.
 */
export function createFileSystem(folder: string, workTree: string): FileSystem {
  const isSame = statSync(folder).dev === statSync(workTree).dev
  const path = join(folder, 'clock')
  return {
    now() {
      const fd = openSync(path, writeFlags, 0o600)
      try {
        writeSync(fd, '.', 0)
        return fstatSync(fd).ctimeMs - (isSame ? 0 : strangersSkew)
      } finally {
        closeSync(fd)
      }
    },
    ...probe(join(folder, createId('probe')), isSame),
  }
}

const strangersSkew = 5_000
// Not cut to nothing first: some file systems then write the new content to the disk at once.
const writeFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW

function probe(folder: string, isSame: boolean): Pick<FileSystem, 'marksDirectories' | 'umask'> {
  mkdirSync(folder, 0o700)
  try {
    const fd = openSync(join(folder, 'a'), writeFlags, 0o777)
    const umask = 0o777 & ~fstatSync(fd).mode
    closeSync(fd)
    const changes = [() => mkdirSync(join(folder, 'b')), () => rmSync(join(folder, 'a'))]
    const isMarked = changes.every(change => {
      utimesSync(folder, 1, 1)
      change()
      return statSync(folder).mtimeMs !== 1000
    })
    return { marksDirectories: isSame && isMarked, umask }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
