import { closeSync, fchmodSync, fstatSync, ftruncateSync, openSync, type PathLike, type Stats } from 'node:fs'
import { type FileState, isSameState, overwriteFlags, writeAllSync } from '../files/index.ts'
import { type GitMode, isLink, permissionsLike } from './git-mode.ts'

export interface Overwriting {
  readonly at: PathLike
  /** What the file must be now. */
  readonly before: FileState
  readonly mode: GitMode
  readonly bytes: Buffer
}

/**
 * Gives a small file other content where it is: no file comes or goes, which is most of the time that a new one takes. A
 * kill in the middle can leave a mixture, which the next plan takes for what it is: one more content.
 *
 * `false`: nothing was done to it. It is not as expected, closed to us, known by another name as well, or has not the
 * space: what is written here needs none, so it does not fail half-way on a full disk. Throws the system's error.
 */
export function overwriteFile({ at, before, mode, bytes }: Overwriting): boolean {
  const fd = isLink(mode) ? undefined : openQuietly(at)
  if (fd === undefined) return false
  try {
    const stats = fstatSync(fd)
    if (!isOurs(stats, before) || stats.blocks * blockBytes < bytes.length) return false
    writeAllSync(fd, bytes)
    if (stats.size > bytes.length) ftruncateSync(fd, bytes.length)
    const permissions = permissionsLike(mode, stats.mode)
    if (permissions !== (stats.mode & 0o777)) fchmodSync(fd, permissions)
    return true
  } finally {
    closeSync(fd)
  }
}

const blockBytes = 512

function isOurs(stats: Stats, before: FileState): boolean {
  return stats.isFile() && stats.nlink === 1 && isSameState(before, stats)
}

function openQuietly(at: PathLike): number | undefined {
  try {
    return openSync(at, overwriteFlags)
  } catch {
    return undefined
  }
}
