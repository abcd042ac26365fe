import { closeSync, constants, fsync, mkdirSync, openSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { errorCode } from '../kit/index.ts'

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
  if (process.platform === 'win32') return
  const fd = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    await fsyncLater(fd)
  } finally {
    closeSync(fd)
  }
}

const fsyncLater = promisify(fsync)
