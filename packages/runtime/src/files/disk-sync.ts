import { closeSync, fstatSync, openSync } from 'node:fs'
import { errorCode, run } from '../kit/index.ts'
import { fsyncLater } from './durable.ts'
import { readFlags } from './open-regular.ts'
import { walk } from './walk.ts'

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

/**
 * Lets the system begin to write what is there while more comes, so that the sync that counts has less to do. Promises nothing, and
 * never rejects.
 */
export async function beginDiskSync(directory: string, environment: Environment): Promise<void> {
  if (process.platform === 'linux') await syncFileSystems([directory], environment).catch(() => undefined)
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
