import { lstatSync, type Stats } from 'node:fs'
import { chmod, mkdir, readlink, realpath, symlink, utimes } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join } from 'node:path'
import {
  copyToNew,
  createDirectoryChain,
  type DirectoryChain,
  namesOf,
  openRegular,
  permissionsOf,
  removeTree,
  splitPath,
  type WalkItem,
  walk,
  waysBelow,
  wordsOf,
} from '../files/index.ts'
import type { Result } from '../kit/index.ts'

export interface DataCopyOptions {
  /** A file or a directory. */
  readonly data: string
  /** A directory that does not exist yet; it will hold what the data holds, or the one file. */
  readonly target: string
  /** Absolute paths that are not copied, such as the execution itself. */
  readonly exclude: readonly string[]
  readonly limits?: Partial<CopyLimits> | undefined
}

export interface CopyLimits {
  readonly entries: number
  readonly depth: number
  readonly bytes: number
}

export type DataCopyResult = Result<{ readonly notes: readonly string[] }>

const defaults: CopyLimits = { entries: 1_000_000, depth: 128, bytes: 64 * 1024 ** 3 }

/**
 * Copies data with its permissions and times. Links that stay inside are made again; links that lead out, and what is
 * neither file nor directory, are left out and named. Nothing behind a link is read.
 *
 * Never rejects. All or nothing: with `ok: false` the target is gone.
 */
export async function copyData(options: DataCopyOptions): Promise<DataCopyResult> {
  const { data, target } = options
  try {
    const result = await copyInto(options)
    if (!result.ok) await removeTree(target)
    return result
  } catch (error) {
    await removeTree(target).catch(() => undefined)
    return { ok: false, message: `the data ${data} cannot be copied: ${wordsOf(error)}` }
  }
}

async function copyInto(options: DataCopyOptions): Promise<DataCopyResult> {
  const { data, target } = options
  await mkdir(target, { mode: 0o700 })
  const root = await realpath(data)
  const isDirectory = lstatSync(root).isDirectory()
  const source = createDirectoryChain(isDirectory ? root : dirname(root))
  try {
    if (isDirectory) return await copyTree(root, source, options)
    await copyFile(source, basename(root), join(target, basename(data)))
    return { ok: true, notes: [] }
  } finally {
    source.close()
  }
}

interface Progress {
  bytes: number
  readonly leftOut: string[]
  readonly directories: { readonly path: string; readonly stats: Stats }[]
}

async function copyTree(
  root: string,
  source: DirectoryChain,
  { data, target, exclude, limits: wanted }: DataCopyOptions,
): Promise<DataCopyResult> {
  const limits = { ...defaults, ...wanted }
  const excluded = new Set(await waysBelow(root, exclude))
  const progress: Progress = { bytes: 0, leftOut: [], directories: [] }
  const skip = (path: string) => excluded.has(path)
  for await (const item of walk(root, { maxEntries: limits.entries, maxDepth: limits.depth, skip })) {
    const obstacle = obstacleOf(item, progress, limits)
    if (obstacle !== undefined) {
      const message = `the data ${data} has more than ${obstacle}, too much to copy; link it instead`
      return { ok: false, message }
    }
    if (item.kind !== 'entry') progress.leftOut.push(item.path)
    else await copyEntry(item, { root, target, source, progress })
  }
  // From the inside out, since a file that is made changes the time of its directory.
  for (const { path, stats } of progress.directories.toReversed()) {
    await chmod(path, permissionsOf(stats) | 0o700)
    await utimes(path, stats.atime, stats.mtime)
  }
  return { ok: true, notes: leftOutNotes(progress.leftOut) }
}

function obstacleOf(item: WalkItem, progress: Progress, limits: CopyLimits): string | undefined {
  if (item.kind === 'capped')
    return item.cap === 'depth' ? `${limits.depth} levels` : `${limits.entries} entries`
  if (item.kind === 'entry' && item.stats.isFile()) progress.bytes += item.stats.size
  return progress.bytes > limits.bytes ? `${limits.bytes} bytes` : undefined
}

interface CopyContext {
  readonly root: string
  readonly target: string
  readonly source: DirectoryChain
  readonly progress: Progress
}

async function copyEntry(
  { path, stats }: { readonly path: string; readonly stats: Stats },
  { root, target, source, progress }: CopyContext,
): Promise<void> {
  const to = join(target, path)
  if (stats.isDirectory()) {
    await mkdir(to, { mode: 0o700 })
    progress.directories.push({ path: to, stats })
  } else if (stats.isFile()) await copyFile(source, path, to)
  else if (!stats.isSymbolicLink() || !(await copyLink(join(root, path), to, root)))
    progress.leftOut.push(path)
}

/** `from`: below the root of `source`, with `/`. */
async function copyFile(source: DirectoryChain, from: string, to: string): Promise<void> {
  const { parent, name } = splitPath(from)
  const { file, stats } = await openRegular(source.mustEnter(namesOf(parent)).at(name))
  try {
    await copyToNew({ file, stats }, to, { mode: permissionsOf(stats), times: stats })
  } finally {
    await file.close()
  }
}

/** `false`: it leads nowhere, or out of the data, by its spelling or on the disk. */
async function copyLink(from: string, to: string, root: string): Promise<boolean> {
  const spelling = await readlink(from)
  if (isAbsolute(spelling)) return false
  const end = await realpath(from).catch(() => undefined)
  if (end === undefined || (await waysBelow(root, [end])).length === 0) return false
  await symlink(spelling, to)
  return true
}

function leftOutNotes(paths: readonly string[]): readonly string[] {
  if (paths.length === 0) return []
  const named = paths.slice(0, 3).join(', ')
  const more = paths.length > 3 ? ` and ${paths.length - 3} more` : ''
  return [`Not copied, because they are unreadable, lead out of the data or are no files: ${named}${more}.`]
}
