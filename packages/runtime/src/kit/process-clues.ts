import { readFileSync, readlinkSync, statSync } from 'node:fs'
import { readlink, realpath } from 'node:fs/promises'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { type ProcessRow, processIds, readStat, readsInATurn } from './process-table.ts'

export interface Premises {
  readonly directory: string
  readonly since: string
}

/**
 * Our user's processes that only their place still leads to. All of this must hold, so that no program of a person is ever
 * among them: it works in `directory` or below and was started after `since`; its parent has ended, so that it belongs to the
 * first process or to one above us that collects orphans; it has no terminal; its environment was emptied on the way, whereas
 * what a person starts, by hand or through a service, knows its user. Never rejects. Linux only.
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
  const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => '')
  if (!`${cwd}/`.startsWith(`${root}/`)) return false
  // Looked at before and after: in between it has not become another program.
  if (isBecomingAnother(pid)) return false
  const environment = environmentOf(pid)
  return environment !== undefined && isEmptied(environment) && !isBecomingAnother(pid)
}

/** Of a process of our user, as it was at its start; undefined when it cannot be read. */
function environmentOf(pid: number): string | undefined {
  try {
    const owner = statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid
    const isOurs = owner !== undefined && owner === process.getuid?.()
    return isOurs ? readFileSync(`/proc/${pid}/environ`, 'latin1') : undefined
  } catch {
    return undefined
  }
}

/** A program that has written over its environment, as some do to change their name, shows something else. */
function isEmptied(environment: string): boolean {
  const entries = environment.replace(/\0$/, '').split('\0')
  if (environment === '') return true
  return entries.every(entry => /^[^=]+=/.test(entry) && !personal.includes(entry.split('=')[0] ?? ''))
}

/** In the environment of processes, to know them by. Without a value: whatever the value is. */
export type Marker = `${string}=${string}`

/**
 * Our user's processes whose environment holds `marker`, except this one: also what left its group and lost its parent, not
 * what was started with a cleaned environment. Never rejects. Empty where the system does not show environments.
 */
export async function findMarked(marker: Marker): Promise<readonly number[]> {
  if (process.platform !== 'linux') return []
  const wanted = `\0${Buffer.from(marker).toString('latin1')}${marker.endsWith('=') ? '' : '\0'}`
  const found: number[] = []
  /** Which showed no environment, and how often they surely had none. */
  const bare = new Map<number, number>()
  const look = (pid: number): void => {
    const environment = pid === process.pid ? undefined : environmentOf(pid)
    if (environment === '') {
      bare.set(pid, (bare.get(pid) ?? 0) + (isBecomingAnother(pid) ? 0 : 1))
      return
    }
    bare.delete(pid)
    if (environment !== undefined && `\0${environment}\0`.includes(wanted)) found.push(pid)
  }
  for (const [at, pid] of (await processIds()).entries()) {
    look(pid)
    if (at % readsInATurn === readsInATurn - 1) await setImmediate()
  }
  for (let again = 0; again < mostLooks; again += 1) {
    for (const [pid, times] of bare)
      if (times >= sureLooks || readStat(pid)?.ended !== false) bare.delete(pid)
    if (bare.size === 0) break
    await setTimeout(lookAgainMs)
    for (const pid of bare.keys()) look(pid)
  }
  return found
}

/** Whoever shows nothing so often was given nothing. */
const sureLooks = 4
const lookAgainMs = 10
/** On a busy machine it may take long until a process is the program that it is becoming. */
const mostLooks = 100

/** For a moment a process that becomes another program shows neither its environment nor its arguments. One of the system's own has no program. */
function isBecomingAnother(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1') === '' && readlinkSync(`/proc/${pid}/exe`) !== ''
  } catch {
    return false
  }
}

/** One process for good, also after its end. */
export interface ProcessKey {
  readonly pid: number
  /** Absent: it had ended when it was named, so whoever lives under the id is another. */
  readonly startTime?: string
}

/**
 * Those of `rows` that are `roots` or came from them: children, and members of a group or session that one of these began.
 * An ended root counts as long as its group or session has members: until then its id is not given to another. Never us.
 */
export function treeOf(rows: readonly ProcessRow[], roots: readonly ProcessKey[]): readonly ProcessRow[] {
  const living = new Map(rows.map(row => [row.pid, row]))
  const isRoot = ({ pid, startTime }: ProcessKey) => {
    const row = living.get(pid)
    return pid > 1 && (row === undefined || row.startTime === startTime)
  }
  const kin = kinOf(rows)
  const reached = new Set(roots.filter(isRoot).map(({ pid }) => pid))
  reached.delete(process.pid)
  for (const pid of reached) {
    for (const relative of kin.get(pid) ?? []) if (relative !== process.pid) reached.add(relative)
  }
  return rows.filter(({ pid }) => reached.has(pid))
}

/** Under each id the processes that name it as their parent, group or session. */
function kinOf(rows: readonly ProcessRow[]): ReadonlyMap<number, readonly number[]> {
  const kin = new Map<number, number[]>()
  for (const { pid, parent, group, session } of rows) {
    for (const id of new Set([parent, group, session])) {
      const known = kin.get(id)
      if (known) known.push(pid)
      else kin.set(id, [pid])
    }
  }
  return kin
}
