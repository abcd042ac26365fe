import { createHash } from 'node:crypto'
import * as z from 'zod'
import { isAlive, processStartTime, readRegularFile } from '../kit/index.ts'

/** What `lock.json` says about the server that holds an execution. */
export interface LockRecord {
  readonly pid: number
  /** Opaque, see `processStartTime`; '' where the system does not tell. */
  readonly pidStartTime: string
  readonly runId: string
  readonly startTime: string
  readonly lastHeartbeat: string
  /** 0 until the server listens. */
  readonly port: number
  readonly proxyPort?: number | undefined
  readonly token?: string | undefined
}

const time = z.iso.datetime()
const port = z.int().min(0).max(65_535)

// Not strict: a later version may say more, and its lock counts all the same.
const recordShape = z.object({
  pid: z.int().positive(),
  pidStartTime: z.string(),
  runId: z.string(),
  startTime: time,
  lastHeartbeat: time,
  port,
  proxyPort: port.optional(),
  token: z.string().optional(),
})

/** One lock or claim on the disk. Of a damaged one only the owner is known. */
export interface LockEntry {
  /** Never used again for another lock. */
  readonly id: string
  readonly pid: number
  readonly pidStartTime: string
  readonly record?: LockRecord
}

export type EntryReading =
  | { readonly kind: 'none' }
  | { readonly kind: 'entry'; readonly entry: LockEntry }
  | UnreadableEntry

export interface UnreadableEntry {
  readonly kind: 'unreadable'
  readonly path: string
  readonly message: string
  /** It is there and says nothing; false: the system does not let us see it. */
  readonly isDamaged: boolean
}

const maxBytes = 64 * 1024
/** A reader may come in the middle of a heartbeat; the next look finds it whole. */
const looks = 5

export async function readEntry(path: string): Promise<EntryReading> {
  let last: Buffer | undefined
  for (let look = 1; look <= looks; look++) {
    const read = await readRegularFile(path, { maxBytes })
    if (!read.ok && read.reason === 'missing') return { kind: 'none' }
    if (!read.ok) {
      const { reason, message } = read
      return { kind: 'unreadable', path, message, isDamaged: reason !== 'unreadable' }
    }
    const record = parseRecord(read.bytes)
    if (record) return { kind: 'entry', entry: { ...ownerOf(record), id: lockId(record), record } }
    last = read.bytes
  }
  const entry = last && salvage(last)
  if (entry) return { kind: 'entry', entry }
  const message = `${path} is damaged and does not say who holds it`
  return { kind: 'unreadable', path, message, isDamaged: true }
}

/**
 * The bytes of `lock.json`, filled up with blanks to at least `size`: heartbeats overwrite the file in place, and a
 * write that never changes the length is seen whole or not at all, or torn in a way that leaves the owner readable.
 */
export function recordBytes(record: LockRecord, size: number): Buffer {
  const { pid, pidStartTime, ...rest } = record
  const text = JSON.stringify({ pid, pidStartTime, ...rest }, undefined, 2)
  const blanks = Math.max(0, size - Buffer.byteLength(text) - 1)
  return Buffer.from(`${text}${' '.repeat(blanks)}\n`)
}

export function lockId({ pid, pidStartTime, runId, startTime }: LockRecord): string {
  return digest(JSON.stringify([pid, pidStartTime, runId, startTime]))
}

/**
 * `gone`: the process that wrote this has ended. `silent`: it runs, but its heartbeat is old. `live`: leave it alone.
 * Our own process is never silent: it is here, asking.
 */
export type Standing = 'live' | 'silent' | 'gone'

/** Decisions 3: stale 60 s after the last heartbeat. */
export const staleAfter = 60_000

export function standingOf(entry: LockEntry, now: Date): Standing {
  const { pid, pidStartTime, record } = entry
  if (!isAlive(pid)) return 'gone'
  const started = pidStartTime === '' ? undefined : processStartTime(pid)
  if (started !== undefined && started !== pidStartTime) return 'gone'
  if (!record || pid === process.pid) return 'live'
  return now.getTime() - Date.parse(record.lastHeartbeat) > staleAfter ? 'silent' : 'live'
}

function ownerOf({ pid, pidStartTime }: LockRecord): Pick<LockEntry, 'pid' | 'pidStartTime'> {
  return { pid, pidStartTime }
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
function salvage(bytes: Buffer): LockEntry | undefined {
  const found = /^\s*\{\s*"pid":\s*(\d{1,15}),\s*"pidStartTime":\s*"([^"\\]*)"/.exec(bytes.toString('utf8'))
  const pid = Number(found?.[1])
  if (!found || pid === 0) return undefined
  return { id: digest(bytes), pid, pidStartTime: found[2] ?? '' }
}

function digest(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex').slice(0, 32)
}
