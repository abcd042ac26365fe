import { lstat, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { removeTree } from '../files/index.ts'
import { createId, errorCode, isAlive } from '../kit/index.ts'
import { type ExecutionLayout, internalsName } from './layout.ts'

/** Of the directory in which `.weave/` is prepared until it is complete. */
export const stagingPrefix = '.weave.new'
/** Of the names under which `--force` keeps an earlier `.weave/`. */
export const backupPrefix = '.weave.backup-'

/**
 * What kind of directory `-e` names. `free`: there is nothing in it, or only what a creation that was
 * cut short leaves, and backups. `set-back`: a backup and a workspace, left by `--force --no-wipe` that was cut short.
 */
export type DirectoryState = 'missing' | 'free' | 'execution' | 'set-back' | 'foreign' | 'not-a-directory'

/** Rejects with the system's error when it cannot be read. */
export async function classifyDirectory({ dir, agentRoot }: ExecutionLayout): Promise<DirectoryState> {
  const stats = await stat(dir).catch(ignoreAbsence)
  if (!stats) return 'missing'
  if (!stats.isDirectory()) return 'not-a-directory'
  const names = await readdir(dir)
  if (names.includes(internalsName)) return 'execution'
  const known = names.filter(name => ownerOf(name, stagingPrefix) === undefined)
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

/** A temporary name that carries the pid of its owner: `<prefix>-<pid>-<id>`. */
export function unfinishedName(prefix: string): string {
  return `${prefix}-${process.pid}-${createId('part')}`
}

/** Removes temporary names of processes that no longer run. Never rejects: a leftover does no harm. */
export async function sweepLeftovers(dir: string, prefix: string): Promise<void> {
  for (const name of await readdir(dir).catch(() => [])) {
    const pid = ownerOf(name, prefix)
    if (pid !== undefined && !isAlive(pid)) await removeTree(join(dir, name)).catch(() => undefined)
  }
}

/** The pid in a name that `unfinishedName` made with this prefix. */
function ownerOf(name: string, prefix: string): number | undefined {
  if (!name.startsWith(`${prefix}-`)) return undefined
  const digits = /^(\d+)-part_/.exec(name.slice(prefix.length + 1))?.[1]
  return digits === undefined ? undefined : Number(digits)
}
