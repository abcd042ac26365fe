import { chmodSync, type PathLike, rmdirSync, statSync } from 'node:fs'
import { errorCode } from '../kit/index.ts'

/**
 * Does something to names in a directory. When the directory is closed to us for writing, as programs sometimes leave one
 * behind, and it is ours, it is opened up for that moment and then has its permissions again. Throws what the work throws.
 */
export function openedUp<Result>(directory: PathLike, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (errorCode(error) !== 'EACCES') throw error
    const { mode } = statSync(directory)
    try {
      chmodSync(directory, (mode & 0o7777) | 0o700)
    } catch {
      throw error
    }
    try {
      return work()
    } finally {
      chmodSync(directory, mode & 0o7777)
    }
  }
}

/** Codes of an `rmdir` after which the directory stays and nothing is wrong: it is in use, not empty, or not ours. */
const mayStay: ReadonlySet<string> = new Set([
  'ENOTEMPTY',
  'EEXIST',
  'ENOENT',
  'ENOTDIR',
  'EBUSY',
  'EACCES',
  'EPERM',
  'EROFS',
])

/** Removes a directory that is to go if it is empty; one that cannot go, such as a mount point, stays. */
export function removeIfEmpty(parent: PathLike, directory: PathLike): void {
  try {
    openedUp(parent, () => rmdirSync(directory))
  } catch (error) {
    if (!mayStay.has(errorCode(error) ?? '')) throw error
  }
}
