import {
  close,
  closeSync,
  constants,
  fsync,
  mkdirSync,
  openSync,
  type PathLike,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { errorCode } from '../kit/index.ts'
import { createFlags, readFlags } from './open-regular.ts'

export const fsyncLater = promisify(fsync)
export const canSyncDirectories = process.platform !== 'win32'
/** Opens a directory, through links too. */
export const directoryOnly = constants.O_RDONLY | constants.O_DIRECTORY

/**
 * Makes the directory and those above it that are missing, all with `mode` (less the umask); an existing one, or a link
 * to one, is left as it is. Rejects with the system's error for everything else, such as a file in the way.
 */
export async function ensureDir(path: string, mode = 0o700): Promise<void> {
  await mkdir(path, { recursive: true, mode })
}

/** The same, durably: each new name is synced before something is put behind it. */
export async function ensureDirDurably(path: string, mode = 0o700): Promise<void> {
  try {
    mkdirSync(path, mode)
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return
    if (errorCode(error) !== 'ENOENT') throw error
    await ensureDirDurably(dirname(path), mode)
    mkdirSync(path, mode)
  }
  await syncDirectory(dirname(path))
}

/** The names in a directory are on the disk when this resolves. Rejects with the system's error. */
export async function syncDirectory(path: string): Promise<void> {
  if (!canSyncDirectories) return
  const fd = openSync(path, directoryOnly)
  try {
    await fsyncLater(fd)
  } finally {
    closeSync(fd)
  }
}

export interface PreparedOptions {
  readonly temporary: string
  readonly target: string
  /** Less the umask. */
  readonly mode: number
}

/** Writes and syncs a file under a name where nobody looks for it yet. Rejects with the system's error; then nothing is left. */
export async function prepareFile(bytes: Uint8Array, { temporary, target, mode }: PreparedOptions) {
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
  return {
    /** Gives it its name, over a file that has it. The directory is not yet synced. */
    place: () => holding(target, () => renameSync(temporary, target)),
    discard: () => discard(temporary),
  }
}

/** A file that is not there is fine. */
export function discard(path: PathLike): void {
  try {
    holding(path, () => unlinkSync(path))
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
  }
}

export function writeAllSync(fd: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done)
}

/**
 * Holds a file open, if there is one, while it loses its name. Some file systems need more than a millisecond to free the
 * space of one that is on the disk: when it is let go of, another thread waits for that.
 */
function holding(path: PathLike, work: () => void): void {
  const fd = openIfPossible(path)
  try {
    work()
  } finally {
    if (fd !== undefined) close(fd, () => undefined)
  }
}

function openIfPossible(path: PathLike): number | undefined {
  // There, nobody can rename over a file that someone holds.
  if (process.platform === 'win32') return undefined
  try {
    return openSync(path, readFlags)
  } catch {
    return undefined
  }
}
