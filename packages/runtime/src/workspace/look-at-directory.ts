import { lstat, readdir, stat } from 'node:fs/promises'
import { errorCode } from '../kit/index.ts'
import { type ExecutionLayout, internalsName } from './layout.ts'
import { isUnfinished } from './leftovers.ts'

/** Of the directory in which `.weave/` is prepared until it is complete. */
export const stagingPrefix = '.weave.new'
/** Of the names under which `--force` keeps an earlier `.weave/`. */
export const backupPrefix = '.weave.backup-'

/**
 * What a directory is that somebody named with `-e`. `free`: there is nothing in it, or only what a creation that was
 * cut short leaves, and backups. `set-back`: a backup and a workspace, left by `--force --no-wipe` that was cut short.
 */
export type DirectoryState = 'missing' | 'free' | 'execution' | 'set-back' | 'foreign' | 'not-a-directory'

/** Rejects with the system's error when it cannot be looked at. */
export async function lookAtDirectory({ dir, agentRoot }: ExecutionLayout): Promise<DirectoryState> {
  const stats = await stat(dir).catch(ignoreAbsence)
  if (!stats) return 'missing'
  if (!stats.isDirectory()) return 'not-a-directory'
  const names = await readdir(dir)
  if (names.includes(internalsName)) return 'execution'
  const known = names.filter(name => !isUnfinished(name, stagingPrefix))
  const others = known.filter(name => !name.startsWith(backupPrefix))
  if (others.length === 0) return 'free'
  if (others.join('/') !== 'agentRoot' || !(await isDirectory(agentRoot))) return 'foreign'
  if ((await readdir(agentRoot)).length === 0) return 'free'
  return others.length < known.length ? 'set-back' : 'foreign'
}

/** A directory and no link to one. */
export async function isDirectory(path: string): Promise<boolean> {
  return lstat(path).then(
    stats => stats.isDirectory(),
    () => false,
  )
}

function ignoreAbsence(error: unknown): undefined {
  if (errorCode(error) === 'ENOENT') return undefined
  throw error
}
