import type { Dirent } from 'node:fs'
import { type FileHandle, lstat, open, opendir, rmdir, unlink } from 'node:fs/promises'
import { parse, resolve } from 'node:path'
import { errorCode } from '../kit/index.ts'
import { directoryAnchor, directoryFlags } from './directory-handles.ts'

/**
 * Removes a file, a link or a whole directory. A path that is not there is fine.
 *
 * Never follows a link: a link is removed, what it points to is not, also when it takes a directory's place meanwhile.
 * Rejects with the system's error, or at a cap; then part of the tree may be gone. An empty path and the root of a file
 * system are refused. Directories without write permission are opened up first. Stops, with an error, after `maxEntries`
 * entries, and before a directory at `maxDepth`.
 */
export async function removeTree(
  path: string,
  { maxEntries = 4_000_000, maxDepth = 256 } = {},
): Promise<void> {
  const target = resolve(path)
  if (path === '' || target === parse(target).root) throw new Error(`refusing to remove '${path}'`)
  const stat = await lstat(target).catch(ignoreAbsence)
  if (!stat) return
  const limits = { depthLeft: maxDepth, budget: { entriesLeft: maxEntries } }
  if (stat.isDirectory()) await removeDirectory(Buffer.from(target), limits)
  else await unlink(target).catch(ignoreAbsence)
}

interface Limits {
  readonly depthLeft: number
  /** One for the whole tree. */
  readonly budget: { entriesLeft: number }
}

// Someone may still be writing into the directory; each pass removes what the one before did not see.
const passes = 3
const batchSize = 64
// Reversible for any bytes: a name that is not valid text could not be removed by what it decodes to.
const nameEncoding = 'latin1'

async function removeDirectory(path: Buffer, limits: Limits): Promise<void> {
  if (limits.depthLeft === 0) throw new Error('refusing to remove a tree that is so deep')
  for (let pass = 1; ; pass++) {
    if (!(await emptyDirectory(path, limits))) return
    try {
      await rmdir(path).catch(ignoreAbsence)
      return
    } catch (error) {
      if (errorCode(error) !== 'ENOTEMPTY' || pass === passes) throw error
    }
  }
}

/** `false`: it is no longer a directory, and gone. */
async function emptyDirectory(path: Buffer, limits: Limits): Promise<boolean> {
  const directory = await openOrUnlink(path)
  if (!directory) return false
  try {
    await directory.chmod(0o700).catch(() => undefined)
    const anchor = directoryAnchor(directory.fd, path.toString())
    for await (const batch of batches(anchor)) {
      limits.budget.entriesLeft -= batch.length
      if (limits.budget.entriesLeft < 0) throw new Error('refusing to remove a tree with so many entries')
      await removeBatch(anchor, batch, limits)
    }
    return true
  } finally {
    await directory.close()
  }
}

async function openOrUnlink(path: Buffer): Promise<FileHandle | undefined> {
  try {
    return await open(path, directoryFlags)
  } catch (error) {
    const code = errorCode(error)
    if (code !== 'ELOOP' && code !== 'ENOTDIR') return ignoreAbsence(error)
    await unlink(path).catch(ignoreAbsence)
    return undefined
  }
}

async function* batches(directory: string): AsyncGenerator<readonly Dirent[]> {
  let batch: Dirent[] = []
  for await (const entry of await opendir(directory, { encoding: nameEncoding, bufferSize: batchSize })) {
    batch.push(entry)
    if (batch.length < batchSize) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

async function removeBatch(anchor: string, batch: readonly Dirent[], limits: Limits): Promise<void> {
  const pathOf = (entry: Dirent) =>
    Buffer.concat([Buffer.from(`${anchor}/`), Buffer.from(entry.name, nameEncoding)])
  const others = batch.filter(entry => !entry.isDirectory())
  await Promise.all(others.map(entry => unlink(pathOf(entry)).catch(ignoreAbsence)))
  const below = { ...limits, depthLeft: limits.depthLeft - 1 }
  // One at a time: every directory on the way down holds a descriptor.
  for (const entry of batch) {
    if (entry.isDirectory()) await removeDirectory(pathOf(entry), below)
  }
}

function ignoreAbsence(error: unknown): undefined {
  if (errorCode(error) === 'ENOENT') return undefined
  throw error
}
