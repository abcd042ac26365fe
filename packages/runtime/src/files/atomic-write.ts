import {
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { lstat, open, rename, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { createId } from '../kit/index.ts'
import { createFlags } from './open-regular.ts'

export interface AtomicWriteOptions {
  /** Exact, whatever the umask. `keep`: that of the regular file already there, else the default of 0600. */
  readonly mode?: number | 'keep'
}

/**
 * Replaces the whole file, or leaves it as it was: a reader sees the old bytes or the new ones, also after a power cut.
 *
 * Rejects with the system's error. Then the old bytes are still there and the temporary file is gone, with one
 * exception: when the very last step fails, the sync of the directory, the new bytes are in place but may not survive a
 * power cut. A symlink at `path` is replaced, not followed. The directory must exist.
 */
export async function writeFileAtomic(
  path: string,
  data: string | Uint8Array,
  options: AtomicWriteOptions = {},
): Promise<void> {
  const mode = options.mode === 'keep' ? await currentMode(path) : options.mode
  const directory = await open(dirname(path), directoryFlags)
  try {
    const temporary = temporaryBeside(path)
    try {
      await writeDurably(temporary, data, mode ?? privateMode)
      await rename(temporary, path)
    } catch (error) {
      await unlink(temporary).catch(ignoreFailure)
      throw error
    }
    if (canSyncDirectories) await directory.sync()
  } finally {
    await directory.close()
  }
}

/** The same promise as `writeFileAtomic`, kept before it returns; throws where that one rejects. */
export function writeFileAtomicSync(
  path: string,
  data: string | Uint8Array,
  options: AtomicWriteOptions = {},
): void {
  const mode = options.mode === 'keep' ? currentModeSync(path) : options.mode
  const directory = openSync(dirname(path), directoryFlags)
  try {
    const temporary = temporaryBeside(path)
    try {
      writeDurablySync(temporary, data, mode ?? privateMode)
      renameSync(temporary, path)
    } catch (error) {
      removeQuietly(temporary)
      throw error
    }
    if (canSyncDirectories) fsyncSync(directory)
  } finally {
    closeSync(directory)
  }
}

/** Removes a file, if it is there, so that it does not come back after a power cut. Throws the system's error. */
export function removeFileDurablySync(path: string): void {
  const directory = openSync(dirname(path), directoryFlags)
  try {
    rmSync(path, { force: true })
    if (canSyncDirectories) fsyncSync(directory)
  } finally {
    closeSync(directory)
  }
}

const privateMode = 0o600
const canSyncDirectories = process.platform !== 'win32'
const directoryFlags = constants.O_RDONLY | constants.O_DIRECTORY

/** Not made from the file's own name: that may already be as long as a name can be. */
function temporaryBeside(path: string): string {
  return join(dirname(path), `.${createId(temporaryWord)}`)
}

const temporaryWord = 'tmp'

/** Whether a file is one that an atomic write has not given its name yet. */
export function isTemporary(path: string): boolean {
  return basename(path).startsWith(`.${temporaryWord}_`)
}

async function writeDurably(path: string, data: string | Uint8Array, mode: number): Promise<void> {
  const file = await open(path, createFlags, privateMode)
  try {
    await file.writeFile(data)
    await file.chmod(mode)
    await file.sync()
  } finally {
    await file.close()
  }
}

function writeDurablySync(path: string, data: string | Uint8Array, mode: number): void {
  const file = openSync(path, createFlags, privateMode)
  try {
    writeFileSync(file, data)
    fchmodSync(file, mode)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

async function currentMode(path: string): Promise<number | undefined> {
  const stat = await lstat(path).catch(ignoreFailure)
  return stat?.isFile() ? stat.mode & 0o7777 : undefined
}

function currentModeSync(path: string): number | undefined {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  return stat?.isFile() ? stat.mode & 0o7777 : undefined
}

// Whatever kept the temporary file from going is less than the error already on its way to the caller.
function removeQuietly(path: string): void {
  try {
    unlinkSync(path)
  } catch (error) {
    ignoreFailure(error)
  }
}

function ignoreFailure(_error: unknown): undefined {
  return undefined
}
