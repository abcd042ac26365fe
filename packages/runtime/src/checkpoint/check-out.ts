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
export async function checkOut(
  git: Git,
  { sha, directory, ...options }: RestoreOptions & { readonly sha: string; readonly directory: string },
): Promise<CheckedOut> {
  const files = await listTree(git, sha)
  if (!files) return { ok: false, message: `There is no version ${sha.slice(0, 8)}, or it cannot be read.` }
  const unsafe = files.find(({ path }) => !isSafePath(path))
  if (unsafe) return { ok: false, message: `The version names a path that cannot be written: ${unsafe.path}` }
  const counted = { files: files.length, bytes: files.reduce((sum, { size }) => sum + size, 0) }
  if (files.every(({ path }) => isPlain(path)) && (await checkOutByGit(git, { sha, directory, ...options })))
    return { ok: true, ...counted }
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

/**
 * git itself writes files several times faster than we do, one by one. Nothing that is not ours has a say in it: the store's
 * own settings hold, and its attributes switch everything off. `false`: it did not; then nothing is left of it.
 */
async function checkOutByGit(
  git: Git,
  { sha, directory, signal }: RestoreOptions & { readonly sha: string; readonly directory: string },
): Promise<boolean> {
  const index = join(dirname(directory), createId('index'))
  const environment = { GIT_INDEX_FILE: index, GIT_WORK_TREE: directory }
  try {
    const read = await git(['read-tree', sha], { environment, signal })
    if (read.ok) {
      const written = await git(['checkout-index', '--all', '--quiet'], { environment, signal })
      if (written.ok) return true
    }
    for (const name of readdirSync(directory)) rmSync(join(directory, name), { recursive: true, force: true })
    return false
  } finally {
    rmSync(index, { force: true })
  }
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
