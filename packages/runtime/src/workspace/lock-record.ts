import { createHash } from 'node:crypto'
import type { Stats } from 'node:fs'
import { hostname } from 'node:os'
import * as z from 'zod'
import { readRegularFile } from '../files/index.ts'
import { errorCode, isAlive, processStartTime, systemClock } from '../kit/index.ts'

/** How long a process may take to be gone after SIGKILL; one that waits for a broken disk takes for ever. */
const longestEndMs = 5_000
const pollMs = 10

/**
 * C7: ends the process that holds a lock which is about to be taken from it, so that it cannot wake up and write on.
 * Returns why not. Nothing is to be done when it has ended, runs elsewhere, or is known to hold another file.
 */
export async function endHolder(entry: LockEntry): Promise<string | undefined> {
  const { pid, record, isCopy } = entry
  if (pid === 0 || pid === process.pid || isCopy || !isLocal(entry) || !isRunning(entry)) return undefined
  // Only who wrote down which file it made is known to hold this one, and not the one that this is a copy of.
  if (record?.inode === undefined) return 'the lock does not prove that it is its own'
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    const code = errorCode(error)
    if (code !== 'ESRCH') return `it cannot be ended (${code ?? String(error)})`
  }
  const deadline = systemClock.monotonic() + longestEndMs
  while (isRunning(entry) && systemClock.monotonic() < deadline) await systemClock.sleep(pollMs)
  return isRunning(entry) ? 'it does not end' : undefined
}

const time = z.iso.datetime()
const port = z.int().min(0).max(65_535)

// Not strict: a later version may say more, and its lock counts all the same.
const recordShape = z.object({
  pid: z.int().positive(),
  /** Opaque, see `processStartTime`; '' where the system does not report it. */
  pidStartTime: z.string(),
  /** Where the process runs. Locks of the first versions do not say. */
  host: z.string().optional(),
  /** Of the lock file, as its owner made it: a copy of the execution has a copy of the lock, with another inode. */
  inode: z.string().optional(),
  /** Of the run that the owner opens. */
  runId: z.string(),
  startTime: time,
  lastHeartbeat: time,
  /** 0 until the server listens. */
  port,
  proxyPort: port.optional(),
  token: z.string().optional(),
  /** It runs without a terminal, in a session of its own. */
  detached: z.literal(true).optional(),
  /** It answers pages, too. */
  web: z.literal(true).optional(),
})

/** What `lock.json` says about the server that holds an execution. */
export type LockRecord = Readonly<z.infer<typeof recordShape>>

/** One lock or claim on the disk. Of a damaged one at most the owner is known. */
export interface LockEntry {
  /** Never used again for another lock. */
  readonly id: string
  /** 0: the file names nobody. */
  readonly pid: number
  readonly pidStartTime: string
  readonly host?: string | undefined
  /** Milliseconds of the wall clock: its last heartbeat; of a damaged file, its last change. */
  readonly heardAt: number
  /** It was made as another file, which its owner may hold. */
  readonly isCopy: boolean
  readonly record?: LockRecord
}

export interface UnreadableEntry {
  readonly kind: 'unreadable'
  readonly path: string
  readonly message: string
  /** It is there and says nothing; false: the system does not let us see it. */
  readonly isDamaged: boolean
}

const maxBytes = 64 * 1024
/** A read may hit a heartbeat half written; the next read finds it whole. */
const looks = 5

export async function readEntry(
  path: string,
): Promise<
  { readonly kind: 'none' } | { readonly kind: 'entry'; readonly entry: LockEntry } | UnreadableEntry
> {
  for (let look = 1; ; look++) {
    const read = await readRegularFile(path, { maxBytes })
    if (!read.ok && read.reason === 'missing') return { kind: 'none' }
    if (!read.ok) {
      const { reason, message } = read
      return { kind: 'unreadable', path, message, isDamaged: reason !== 'unreadable' }
    }
    const record = parseRecord(read.bytes)
    if (record) return { kind: 'entry', entry: entryOf(record, read.stat) }
    if (look === looks) return { kind: 'entry', entry: salvage(read.bytes, read.stat) }
  }
}

function entryOf(record: LockRecord, stat: Stats): LockEntry {
  const { pid, pidStartTime, host, inode, lastHeartbeat } = record
  const heardAt = Date.parse(lastHeartbeat)
  const isCopy = inode !== undefined && inode !== inodeOf(stat)
  return { id: lockId(record), pid, pidStartTime, host, heardAt, isCopy, record }
}

/** As it stands in the record. */
export function inodeOf({ ino }: Stats): string {
  return String(ino)
}

/**
 * The bytes of `lock.json`, filled up with blanks to at least `size`: heartbeats overwrite the file in place, and a
 * write that never changes the length is seen whole or not at all, or torn in a way that leaves the owner readable.
 */
export function recordBytes(record: LockRecord, size: number): Buffer {
  const { pid, pidStartTime, host, ...rest } = record
  const text = JSON.stringify({ pid, pidStartTime, host, ...rest }, undefined, 2)
  const blanks = Math.max(0, size - Buffer.byteLength(text) - 1)
  return Buffer.from(`${text}${' '.repeat(blanks)}\n`)
}

export function lockId({ pid, pidStartTime, runId, startTime }: LockRecord): string {
  return digest(JSON.stringify([pid, pidStartTime, runId, startTime]))
}

/**
 * `gone`: the process that wrote this has ended. `silent`: it runs, as far as can be told, but its heartbeat is old.
 * `live`: leave it alone. Our own process is never silent: it is here, asking.
 */
export type Standing = 'live' | 'silent' | 'gone'

/** Stale so many milliseconds after the last heartbeat. */
export const staleAfter = 60_000

export function standingOf(entry: LockEntry, now: Date): Standing {
  const { pid, pidStartTime, heardAt, record, isCopy } = entry
  const age = now.getTime() - heardAt
  if (pid === 0) return Math.abs(age) > staleAfter ? 'gone' : 'live'
  // The number of a process means something on its own machine only; a clock of another may be ahead of ours.
  if (!isLocal(entry)) return Math.abs(age) > staleAfter ? 'silent' : 'live'
  if (!isRunning({ pid, pidStartTime })) return 'gone'
  if (!record || (pid === process.pid && !isCopy)) return 'live'
  return age > staleAfter ? 'silent' : 'live'
}

/**
 * Whether the process that an entry names runs on this machine, if it runs. Machines may share a name, and a disk: of one that
 * names its host, the boot must be ours, too, where the system says which that is.
 */
export function isLocal({ host, pidStartTime }: Pick<LockEntry, 'host' | 'pidStartTime'>): boolean {
  if (host === undefined) return true
  const [theirs, ours] = [pidStartTime, processStartTime(process.pid) ?? ''].map(bootOf)
  return host === hostname() && (!theirs || !ours || theirs === ours)
}

/** See `processStartTime`. */
function bootOf(startTime: string): string | undefined {
  return startTime.split('@')[1]
}

/** Whether the very process that an entry of this machine names is there, and not another under its number. */
function isRunning({ pid, pidStartTime }: Pick<LockEntry, 'pid' | 'pidStartTime'>): boolean {
  if (!isAlive(pid)) return false
  const started = pidStartTime === '' ? undefined : processStartTime(pid)
  return started === undefined || started === pidStartTime
}

function parseRecord(bytes: Buffer): LockRecord | undefined {
  try {
    const checked = recordShape.safeParse(JSON.parse(bytes.toString('utf8')))
    return checked.success ? checked.data : undefined
  } catch {
    return undefined
  }
}

/** The owner comes first in the file, so of a torn one it is what is most likely left. */
function salvage(bytes: Buffer, { mtimeMs: heardAt, ino }: Stats): LockEntry {
  const found = ownerShape.exec(bytes.toString('utf8'))
  const pid = Number(found?.[1] ?? 0)
  const isCopy = false
  // Empty files are all alike; with time and inode each is distinct.
  if (!found || pid === 0)
    return { id: digest(`${ino} ${heardAt} ${digest(bytes)}`), pid: 0, pidStartTime: '', heardAt, isCopy }
  return { id: digest(bytes), pid, pidStartTime: found[2] ?? '', host: found[3], heardAt, isCopy }
}

const ownerShape =
  /^\s*\{\s*"pid":\s*(\d{1,15}),\s*"pidStartTime":\s*"([^"\\]*)"(?:,\s*"host":\s*"([^"\\]*)")?/

function digest(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex').slice(0, 32)
}
