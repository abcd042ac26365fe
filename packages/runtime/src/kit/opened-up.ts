import { chmodSync, type PathLike, statSync } from 'node:fs'
import { errorCode } from './error-code.ts'

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
