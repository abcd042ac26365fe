import {
  close,
  closeSync,
  constants,
  fsync,
  openSync,
  type PathLike,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { promisify } from 'node:util'
import { errorCode } from '../kit/index.ts'

/** A file on the disk under a name where nobody looks for it yet. */
export interface PreparedFile {
  /** Gives it its name, over a file that has it. The directory is not yet synced. */
  place(): void
  discard(): void
}

export interface PreparedOptions {
  readonly temporary: string
  readonly target: string
  /** Less the umask. */
  readonly mode: number
}

/** Writes and syncs. Rejects with the system's error; then nothing is left. */
export async function prepareFile(
  bytes: Uint8Array,
  { temporary, target, mode }: PreparedOptions,
): Promise<PreparedFile> {
  const fd = openSync(temporary, createFlags, mode)
  try {
    writeAllSync(fd, bytes)
    await fsyncLater(fd)
  } catch (error) {
    discard(temporary)
    throw error
  } finally {
    closeSync(fd)
  }
  return { place: () => renameOver(temporary, target), discard: () => discard(temporary) }
}

function renameOver(from: string, to: string): void {
  const letGo = hold(to)
  try {
    renameSync(from, to)
  } finally {
    letGo()
  }
}

/**
 * Holds a file open, if there is one, while it loses its name. Some file systems need more than a millisecond to free the
 * space of one that is on the disk: when it is let go of, another thread waits for that.
 */
function hold(path: PathLike): () => void {
  // There, nobody can rename over a file that someone holds.
  if (process.platform === 'win32') return () => undefined
  try {
    const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    return () => close(fd, () => undefined)
  } catch {
    return () => undefined
  }
}

export function writeAllSync(fd: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done)
}

export const fsyncLater = promisify(fsync)
export const createFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW

/** A file that is not there is fine. */
export function discard(path: PathLike): void {
  const letGo = hold(path)
  try {
    unlinkSync(path)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
  } finally {
    letGo()
  }
}
