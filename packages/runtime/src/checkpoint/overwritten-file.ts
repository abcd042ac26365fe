import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  ftruncateSync,
  openSync,
  type PathLike,
  type Stats,
} from 'node:fs'
import { writeAllSync } from './durable.ts'
import { type GitMode, isLink, permissionsLike } from './git-mode.ts'
import { type FileState, isSameState } from './known-tree.ts'
import type { StagedFile } from './staged-file.ts'

export interface Overwriting {
  readonly at: PathLike
  /** What the file must be now. */
  readonly before: FileState
  readonly mode: GitMode
  readonly size: number
}

/**
 * A small file that gets other content where it is: no new file, no removal, and so a third of the time. What a kill can
 * leave is a mixture, which the next restore takes for what it is, another content; what was there is in the store.
 * `undefined`: not this file. It is larger, not as expected, known by another name as well, or closed to us.
 */
export function openToOverwrite({ at, before, mode, size }: Overwriting): StagedFile | undefined {
  if (size > smallFile || isLink(mode)) return undefined
  const opened = openQuietly(at)
  if (!opened) return undefined
  const { fd, stats } = opened
  if (!stats.isFile() || stats.nlink !== 1 || !isSameState(before, stats)) {
    closeSync(fd)
    return undefined
  }
  const pieces: Buffer[] = []
  return {
    write: piece => pieces.push(piece),
    place() {
      try {
        writeAllSync(fd, Buffer.concat(pieces))
        if (stats.size > size) ftruncateSync(fd, size)
        const permissions = permissionsLike(mode, stats.mode)
        if (permissions !== (stats.mode & 0o777)) fchmodSync(fd, permissions)
      } finally {
        closeSync(fd)
      }
    },
    discard: () => closeSync(fd),
  }
}

const smallFile = 64 << 10
const flags = constants.O_WRONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

function openQuietly(at: PathLike): { readonly fd: number; readonly stats: Stats } | undefined {
  let fd: number | undefined
  try {
    fd = openSync(at, flags)
    return { fd, stats: fstatSync(fd) }
  } catch {
    if (fd !== undefined) closeSync(fd)
    return undefined
  }
}
