import { createHash } from 'node:crypto'
import {
  closeSync,
  fchmodSync,
  futimesSync,
  linkSync,
  lstatSync,
  openSync,
  readlinkSync,
  renameSync,
  type Stats,
  unlinkSync,
  write,
  writeSync,
} from 'node:fs'
import { promisify } from 'node:util'
import { createId, errorCode } from '../kit/index.ts'
import { type HeldDirectory, openedUp } from './directory-handles.ts'
import { fsyncLater } from './durable.ts'
import { createFlags, type OpenFile, openRegular } from './open-regular.ts'
import { chunksOf } from './read-file.ts'

export interface CopyOptions {
  /** Permission bits, exact whatever the umask. */
  readonly mode: number
  /** The bytes are on the disk, not only on their way, before this is done. */
  readonly sync?: boolean
  readonly times?: { readonly atime: Date; readonly mtime: Date }
  readonly signal?: AbortSignal | undefined
}

/**
 * Copies what the file held when it was opened into a file that must not exist yet. Rejects with the system's error, or
 * the reason of the signal; then the new file is gone. A file that grows meanwhile is copied up to its old size; one that
 * shrinks is an error, since what was there is lost.
 */
export async function copyToNew(
  { file, stats }: OpenFile,
  target: string,
  options: CopyOptions,
): Promise<void> {
  const fd = openSync(target, createFlags, 0o600)
  try {
    for await (const chunk of chunksOf(file.fd, stats, options.signal)) await writeAll(fd, chunk)
    fchmodSync(fd, options.mode)
    if (options.times) futimesSync(fd, options.times.atime, options.times.mtime)
    if (options.sync) await fsyncLater(fd)
  } catch (error) {
    unlinkSync(target)
    throw error
  } finally {
    closeSync(fd)
  }
}

export async function digestOf({ file, stats }: OpenFile, signal?: AbortSignal): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of chunksOf(file.fd, stats, signal)) hash.update(chunk)
  return hash.digest('hex')
}

/**
 * SHA-256 of the bytes of a regular file, or of where a link points, byte by byte; undefined for everything else. Opens
 * nothing that could make it wait. Rejects with the system's error or the signal's reason.
 */
export async function contentDigest(path: string, signal?: AbortSignal): Promise<string | undefined> {
  const stats = lstatSync(path)
  if (stats.isSymbolicLink()) return createHash('sha256').update(readlinkSync(path, 'buffer')).digest('hex')
  if (!stats.isFile()) return undefined
  const source = await openRegular(path)
  try {
    return await digestOf(source, signal)
  } finally {
    await source.file.close()
  }
}

/** Set-user-id and its kin are not for copies. */
export function permissionsOf(stats: Stats): number {
  return stats.mode & 0o777
}

/** Below this the way to another thread and back costs several times the work: most files of a workspace. */
const smallWrite = 64 << 10
const writeLater = promisify(write)

async function writeAll(fd: number, bytes: Buffer): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const rest = bytes.subarray(done)
    done += rest.length <= smallWrite ? writeSync(fd, rest) : (await writeLater(fd, rest)).bytesWritten
  }
}

/**
 * Gives a regular file another name, whole and at once, without ever taking the place of what has that name. `false`: the
 * name is taken. Both names are then one file; on another device, or where there are no hard links, the new one is a
 * copy that is on the disk, with the same permissions and times.
 *
 * Throws the system's error. Where there are no hard links at all, something that takes the name in the last moment would
 * be replaced: no system call that Node has can prevent it there.
 */
export async function placeFile(file: string, directory: HeldDirectory, name: string): Promise<boolean> {
  try {
    openedUp(directory.self, () => linkSync(file, directory.at(name)))
    return true
  } catch (error) {
    const code = errorCode(error)
    if (code === 'EEXIST') return false
    if (code === undefined || !cannotLink.has(code)) throw error
  }
  if (lstatSync(directory.at(name), { throwIfNoEntry: false })) return false
  const temporary = directory.at(`.${createId('weave-copy')}`)
  await copyOf(file, temporary)
  return nameCopy(temporary, directory.at(name))
}

const cannotLink: ReadonlySet<string> = new Set([
  'EXDEV',
  'EPERM',
  'EMLINK',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
])

async function copyOf(file: string, temporary: string): Promise<void> {
  const source = await openRegular(file)
  try {
    const { mode, atime, mtime } = source.stats
    await copyToNew(source, temporary, { mode: mode & 0o7777, sync: true, times: { atime, mtime } })
  } finally {
    await source.file.close()
  }
}

function nameCopy(temporary: string, name: string): boolean {
  try {
    linkSync(temporary, name)
    unlinkSync(temporary)
    return true
  } catch (error) {
    const code = errorCode(error)
    const free = !lstatSync(name, { throwIfNoEntry: false })
    if (code !== undefined && cannotLink.has(code) && free) {
      renameSync(temporary, name)
      return true
    }
    unlinkSync(temporary)
    if (free) throw error
    return false
  }
}
