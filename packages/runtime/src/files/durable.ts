import {
  close,
  closeSync,
  constants,
  fstatSync,
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
import { errorCode, run } from '../kit/index.ts'
import { createFlags, readFlags } from './open-regular.ts'
import { walk } from './walk.ts'

export const fsyncLater = promisify(fsync)

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

export function writeAllSync(fd: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done)
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
    const fd = openSync(path, readFlags)
    return () => close(fd, () => undefined)
  } catch {
    return () => undefined
  }
}

/**
 * What puts everything that was written below some directories on the disk, by whomever: bytes, names and what was
 * removed. After that a power cut takes nothing of it. Where there is a `sync` that can do one file system (as in GNU and
 * BusyBox) it is asked once, which takes no longer than the bytes do; elsewhere each file and directory is synced that
 * changed since the last time, or since this was made.
 *
 * Rejects with the system's error when the disk refuses.
 */
export function createDiskSync(
  directories: readonly string[],
  environment: Environment,
): () => Promise<void> {
  let hasProgram = process.platform === 'linux'
  let since = Date.now() - skew
  return async () => {
    const began = Date.now()
    hasProgram &&= await syncFileSystems(directories, environment)
    if (!hasProgram) for (const directory of directories) await syncTree(directory, since)
    since = began - skew
  }
}

type Environment = Readonly<Record<string, string | undefined>>

/** The clock of a file system counts in steps of its own, and may be that of another machine. */
const skew = 60_000
const caps = { maxEntries: 4_000_000, maxDepth: 256 }

/** `false`: there is no such program, or it failed; then each file says what is wrong. */
async function syncFileSystems(directories: readonly string[], environment: Environment): Promise<boolean> {
  const { code } = await run('sync', ['-f', ...directories], { env: { PATH: environment['PATH'] } })
  return code === 0
}

async function syncTree(root: string, since: number): Promise<void> {
  for await (const item of walk(root, caps)) {
    if (item.kind === 'capped') throw new Error(`${root} holds too many files to sync them one by one`)
    if (item.kind !== 'entry' || item.stats.ctimeMs < since) continue
    if (item.stats.isFile() || item.stats.isDirectory()) await syncOne(`${root}/${item.path}`)
  }
  await syncOne(root)
}

/** What is gone by now, or was put in its place, or is closed to us, is not ours to sync. */
async function syncOne(path: string): Promise<void> {
  let fd: number
  try {
    fd = openSync(path, readFlags)
  } catch (error) {
    if (notOurs.has(errorCode(error) ?? '')) return
    throw error
  }
  try {
    const stats = fstatSync(fd)
    if (stats.isFile() || stats.isDirectory()) await fsyncLater(fd)
  } finally {
    closeSync(fd)
  }
}

const notOurs: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'EACCES', 'EPERM'])
