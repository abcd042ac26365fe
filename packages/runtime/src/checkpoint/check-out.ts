import { closeSync, fstatSync, openSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createFlags } from '../files/index.ts'
import { createId, type Result } from '../kit/index.ts'
import type { Git } from '../tree/index.ts'
import { listTree } from './read-checkpoints.ts'
import type { RestoreIntent } from './restore-files.ts'
import { performRestore, type RestoreOptions } from './restore-perform.ts'
import { isSafePath } from './restore-plan.ts'

export type CheckedOut = Result<{ readonly files: number; readonly bytes: number }>

/**
 * Writes the files of a version, or of a tree, into a directory that is empty and ours alone. The store is only read.
 * Rejects only with the reason of the signal.
 */
export async function checkOut(git: Git, options: Omit<CheckOutOptions, 'index'>): Promise<CheckedOut> {
  const index = join(dirname(options.directory), createId('index'))
  try {
    return await checkOutWith(git, { ...options, index })
  } finally {
    rmSync(index, { force: true })
  }
}

interface CheckOutOptions extends RestoreOptions {
  readonly sha: string
  readonly directory: string
  /** A file for git alone, beside the directory. */
  readonly index: string
}

async function checkOutWith(git: Git, options: CheckOutOptions): Promise<CheckedOut> {
  const { sha, directory } = options
  // git reads the version into its index while we look at what it names.
  const work = [listTree(git, sha), readIndex(git, options)] as const
  await Promise.allSettled(work)
  const [files, isRead] = await Promise.all(work)
  if (!files) return { ok: false, message: `There is no version ${sha.slice(0, 8)}, or it cannot be read.` }
  const unsafe = files.find(({ path }) => !isSafePath(path))
  if (unsafe) return { ok: false, message: `The version names a path that cannot be written: ${unsafe.path}` }
  const counted = { files: files.length, bytes: files.reduce((sum, { size }) => sum + size, 0) }
  const isForGit = isRead && files.every(({ path }) => isPlain(path))
  if (isForGit && (await checkOutByGit(git, options))) return { ok: true, ...counted }
  const writes = files.map(({ path, mode, oid }) => ({ path, mode, oid, before: undefined }))
  const plan = {
    to: sha,
    create: [],
    change: [],
    delete: [],
    unchanged: 0,
    conflicts: [],
    notes: [],
    writes,
    removals: [],
    emptied: [],
  }
  const umask = umaskIn(directory)
  const done = await performRestore(plan, { ...options, git, workTree: directory, umask, intent: noIntent })
  return done.ok ? { ok: true, ...counted } : done
}

/** Names that git takes for what they are on every system; it refuses some others, or means something else by them. */
function isPlain(path: string): boolean {
  return !/[\\~:\0-\x1f]|\.git|[ .](\/|$)/i.test(path)
}

async function readIndex(git: Git, { sha, index, signal }: CheckOutOptions): Promise<boolean> {
  return (await git(['read-tree', sha], { environment: { GIT_INDEX_FILE: index }, signal })).ok
}

/**
 * git itself writes files several times faster than we do, one by one. Nothing that is not ours has a say in it: the store's
 * own settings hold, and its attributes switch everything off. `false`: it did not; then nothing is left of it.
 */
async function checkOutByGit(git: Git, { directory, index, signal }: CheckOutOptions): Promise<boolean> {
  const environment = { GIT_INDEX_FILE: index, GIT_WORK_TREE: directory }
  const written = await git(['checkout-index', '--all', '--quiet'], { environment, signal })
  if (written.ok) return true
  for (const name of readdirSync(directory)) rmSync(join(directory, name), { recursive: true, force: true })
  return false
}

/** Nobody finishes what is cut off here: the directory as a whole is dropped. */
const noIntent: RestoreIntent = { read: () => [], write: async () => undefined, clear: () => undefined }

/** The permissions that a new file does not get there. Throws the system's error. */
function umaskIn(directory: string): number {
  const path = join(directory, createId('probe'))
  const fd = openSync(path, createFlags, 0o777)
  try {
    return 0o777 & ~fstatSync(fd).mode
  } finally {
    closeSync(fd)
    rmSync(path, { force: true })
  }
}
