import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readlink, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { walk, wordsOf } from '../files/index.ts'
import type { Result } from '../kit/index.ts'

/** One file, directory or link below a root. Directories count as such: an empty one is content, too. */
export interface TreeEntry {
  /** With `/`, relative to the root. */
  readonly path: string
  readonly type: 'file' | 'directory' | 'link'
  readonly executable: boolean
  readonly bytes: number
  /** Of a file its content, of a link where it leads. */
  readonly sha256: string
}

export type TreeHash = Result<{
  /** `tree:` and 64 hex digits: the same for the same content, wherever it lies and whenever it was written. */
  readonly hash: string
  /** Sorted by path. */
  readonly entries: readonly TreeEntry[]
  /** Where the paths begin: the directory itself, or the one that holds a single file. */
  readonly root: string
}>

const limits = { maxEntries: 1_000_000, maxDepth: 256 }

/**
 * Hashes data by what is in it: SHA-256 over the sorted rows of path, type, x-bit and SHA-256. Unlike `hashData` it reads
 * everything, so it holds on another machine. What cannot be read, and what is neither file, directory nor link, is refused:
 * it could not be moved. Never rejects.
 */
export async function hashTree(
  path: string,
  { skip = () => false }: { readonly skip?: (path: string) => boolean } = {},
): Promise<TreeHash> {
  try {
    const stats = await stat(path)
    const found = stats.isFile() ? await single(path) : await below(path, skip)
    return found.ok ? { ...found, hash: hashOf(found.entries) } : found
  } catch (error) {
    return { ok: false, message: `${path} cannot be read: ${wordsOf(error)}` }
  }
}

type Found = Result<{ readonly entries: readonly TreeEntry[]; readonly root: string }>

async function single(path: string): Promise<Found> {
  const real = await realpath(path)
  const entry = await fileEntry(real, basename(path))
  return { ok: true, entries: [entry], root: dirname(real) }
}

async function below(path: string, skip: (path: string) => boolean): Promise<Found> {
  const root = await realpath(path)
  const entries: TreeEntry[] = []
  for await (const item of walk(root, { ...limits, skip: entry => skip(entry) })) {
    if (item.kind === 'capped')
      return { ok: false, message: `${path} has too many entries or is nested too deeply` }
    if (item.kind !== 'entry')
      return { ok: false, message: `${join(path, item.path)} cannot be read (${item.code})` }
    const entry = await entryOf(root, item.path, item.stats)
    if (!entry) return { ok: false, message: `${join(path, item.path)} is neither a file nor a directory` }
    entries.push(entry)
  }
  return { ok: true, entries: entries.toSorted((a, b) => compare(a.path, b.path)), root }
}

interface Kind {
  isFile(): boolean
  isDirectory(): boolean
  isSymbolicLink(): boolean
}

async function entryOf(root: string, path: string, stats: Kind): Promise<TreeEntry | undefined> {
  const whole = join(root, path)
  if (stats.isFile()) return fileEntry(whole, path)
  if (stats.isDirectory()) return { path, type: 'directory', executable: false, bytes: 0, sha256: '' }
  if (!stats.isSymbolicLink()) return undefined
  const target = await readlink(whole)
  const sha256 = createHash('sha256').update(target).digest('hex')
  return { path, type: 'link', executable: false, bytes: 0, sha256 }
}

async function fileEntry(whole: string, path: string): Promise<TreeEntry> {
  const { mode } = await stat(whole)
  const digest = createHash('sha256')
  let bytes = 0
  const chunks: AsyncIterable<Buffer> = createReadStream(whole)
  for await (const chunk of chunks) {
    digest.update(chunk)
    bytes += chunk.length
  }
  return { path, type: 'file', executable: (mode & 0o100) !== 0, bytes, sha256: digest.digest('hex') }
}

function hashOf(entries: readonly TreeEntry[]): string {
  const digest = createHash('sha256')
  for (const { path, type, executable, sha256 } of entries)
    digest.update(`${JSON.stringify([path, type, executable, sha256])}\n`)
  return `tree:${digest.digest('hex')}`
}

/** By code unit, so that no locale changes a hash. */
function compare(left: string, right: string): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}
