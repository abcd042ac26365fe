import { closeSync, fstatSync, openSync, rmSync } from 'node:fs'
import { join } from 'node:path'
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
  if (!done.ok) return done
  return { ok: true, files: files.length, bytes: files.reduce((sum, { size }) => sum + size, 0) }
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
