import {
  closeSync,
  fchmodSync,
  fsyncSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFile,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { createId } from '../kit/index.ts'
import { canSyncDirectories, directoryOnly, fsyncLater } from './durable.ts'
import { createFlags } from './open-regular.ts'

export interface AtomicWriteOptions {
  /** Exact, whatever the umask. `keep`: that of the regular file already there, else the default of 0600. */
  readonly mode?: number | 'keep'
  /** `false`: whole or not at all, but not sure to be on the disk; whoever asks for it syncs what it is a part of. */
  readonly syncs?: boolean
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
  const { mode, temporary, directory, file, close } = openTemporary(path, options)
  const { syncs = true } = options
  try {
    await writeLater(file, data)
    fchmodSync(file, mode)
    if (syncs) await fsyncLater(file)
    renameSync(temporary, path)
    if (syncs && canSyncDirectories) await fsyncLater(directory)
  } catch (error) {
    removeQuietly(temporary)
    throw error
  } finally {
    close()
  }
}

/** The same promise as `writeFileAtomic`, kept before it returns; throws where that one rejects. */
export function writeFileAtomicSync(
  path: string,
  data: string | Uint8Array,
  options: AtomicWriteOptions = {},
): void {
  const { mode, temporary, directory, file, close } = openTemporary(path, options)
  try {
    writeFileSync(file, data)
    fchmodSync(file, mode)
    fsyncSync(file)
    renameSync(temporary, path)
    if (canSyncDirectories) fsyncSync(directory)
  } catch (error) {
    removeQuietly(temporary)
    throw error
  } finally {
    close()
  }
}

/** Removes a file, if it is there, so that it does not come back after a power cut. Throws the system's error. */
export function removeFileDurablySync(path: string): void {
  const directory = openSync(dirname(path), directoryOnly)
  try {
    rmSync(path, { force: true })
    if (canSyncDirectories) fsyncSync(directory)
  } finally {
    closeSync(directory)
  }
}

/** Whether a file is one that an atomic write has not given its name yet. */
export function isTemporary(path: string): boolean {
  return basename(path).startsWith(`.${temporaryWord}_`)
}

const temporaryWord = 'tmp'
const privateMode = 0o600
const writeLater = promisify(writeFile)

/** A new file beside one, and the directory of both. */
function openTemporary(path: string, { mode }: AtomicWriteOptions) {
  // Not made from the file's own name: that may already be as long as a name can be.
  const temporary = join(dirname(path), `.${createId(temporaryWord)}`)
  const exact = (mode === 'keep' ? currentMode(path) : mode) ?? privateMode
  const directory = openSync(dirname(path), directoryOnly)
  try {
    const file = openSync(temporary, createFlags, privateMode)
    const close = () => {
      closeSync(file)
      closeSync(directory)
    }
    return { mode: exact, temporary, directory, file, close }
  } catch (error) {
    closeSync(directory)
    throw error
  }
}

function currentMode(path: string): number | undefined {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  return stat?.isFile() ? stat.mode & 0o7777 : undefined
}

// Whatever kept the temporary file from going is less than the error already on its way to the caller.
function removeQuietly(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    // It has its name already, or could not be removed.
  }
}
