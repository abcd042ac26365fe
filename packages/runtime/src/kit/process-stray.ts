import { readFile, readlink, realpath, stat } from 'node:fs/promises'
import { readStat } from './process-stat.ts'
import type { ProcessRow } from './process-table.ts'

/** Where a process works, and since when. */
export interface Premises {
  readonly directory: string
  /** See `processStartTime`. */
  readonly since: string
}

/**
 * Our user's processes that neither group nor marker nor descent leads to any more, and that nobody but a command of ours
 * can have left behind. All of this must hold, so that no program of a person is ever among them:
 *
 * - it works in `directory` or below, and was started after `since`
 * - its parent has ended: the system gave it to its first process, or to one above us that collects orphans
 * - it has no terminal
 * - its environment was emptied on the way: what a person starts, by hand or through a service, knows its user
 *
 * `rows`: the processes of this moment. Never rejects; what cannot be read is passed over. Linux only.
 */
export async function findStrays(
  { directory, since }: Premises,
  rows: readonly ProcessRow[],
): Promise<readonly number[]> {
  // Without a user of our own, what others started cannot be told apart.
  if (process.platform !== 'linux' || !personal.some(name => process.env[name])) return []
  const collectors = collectorsOfOrphans()
  const orphans = rows
    .filter(({ parent, startTime }) => collectors.has(parent) && isSince(startTime, since))
    .map(({ pid }) => pid)
    .filter(pid => pid !== process.pid && readStat(pid)?.hasTerminal === false)
  const root = orphans.length === 0 ? undefined : await realpath(directory).catch(() => undefined)
  if (root === undefined) return []
  const strays = await Promise.all(orphans.map(pid => isHidden(pid, root)))
  return orphans.filter((_, index) => strays[index])
}

const personal = ['HOME', 'USER', 'LOGNAME']

/** Who is the parent of a process of ours that has lost its own. A shell that started us is in our session. */
function collectorsOfOrphans(): ReadonlySet<number> {
  const found = new Set([1])
  const ours = readStat(process.pid)
  for (let above = ours && readStat(ours.parent), pid = ours?.parent ?? 1; above; above = readStat(pid)) {
    if (above.session !== ours?.session) found.add(pid)
    pid = above.parent
  }
  return found
}

function isSince(startTime: string, since: string): boolean {
  const [ticks = '', boot] = startTime.split('@')
  const [sinceTicks = '', sinceBoot] = since.split('@')
  return boot === sinceBoot && BigInt(ticks) >= BigInt(sinceTicks)
}

async function isHidden(pid: number, root: string): Promise<boolean> {
  try {
    const { uid } = await stat(`/proc/${pid}`)
    const cwd = await readlink(`/proc/${pid}/cwd`)
    if (uid !== process.getuid?.() || !`${cwd}/`.startsWith(`${root}/`)) return false
    return isEmptied(await readFile(`/proc/${pid}/environ`, 'latin1'))
  } catch {
    return false
  }
}

/** A program that has written over its environment, as some do to change their name, shows something else. */
function isEmptied(environment: string): boolean {
  const entries = environment.replace(/\0$/, '').split('\0')
  if (environment === '') return true
  return entries.every(entry => /^[^=]+=/.test(entry) && !personal.includes(entry.split('=')[0] ?? ''))
}
