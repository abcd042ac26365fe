import { renameSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { wordsOf } from '../files/index.ts'
import { type Clock, errorCode, processStartTime } from '../kit/index.ts'
import { sweepLeftovers } from './classify-directory.ts'
import { type Chain, claimFile, claimsOf, linkIfFree, readChain } from './lock-chain.ts'
import {
  endHolder,
  isLocal,
  type LockEntry,
  type LockRecord,
  readEntry,
  staleAfter,
  standingOf,
  type UnreadableEntry,
} from './lock-record.ts'
import {
  createDraft,
  discardDraft,
  draftPrefix,
  type ExecutionLock,
  holdLock,
  type OwnFile,
  removeQuietly,
} from './own-lock.ts'

export interface LockOptions {
  /** `lock.json`; its directory must exist. */
  readonly lockFile: string
  /** The run that the caller is going to open. */
  readonly runId: string
  readonly clock: Clock
  readonly port?: number
  readonly token?: string
  /**
   * Called at most once, when the lock is found to be no longer ours: then another server may be at work in the same
   * execution, and the caller must stop writing. Must not throw. Not called after `release`.
   */
  readonly onLost: (reason: string) => void
}

/** The holder of an execution, as recorded in the lock. */
export interface LockHolder {
  readonly pid: number
  /** Absent while it starts, and when the lock is damaged. */
  readonly port?: number
  readonly since?: string
  readonly record?: LockRecord
}

export type LockResult =
  | {
      readonly kind: 'acquired'
      readonly lock: ExecutionLock
      readonly tookOver?: LockHolder
      /** Where a lock file is now that named nobody. */
      readonly keptAside?: string
    }
  | { readonly kind: 'held'; readonly holder: LockHolder; readonly message: string }
  | LockFailure

/** The lock is damaged, or the disk refuses. `cure` says what a person can do. */
export interface LockFailure {
  readonly kind: 'failed'
  readonly path: string
  readonly message: string
  readonly cure: string
  /** The disk cannot be written, or not by this user. */
  readonly isReadOnly?: boolean
}

/** Two heartbeats and some patience: a server that only seemed silent after a sleep of the machine shows up in it. */
const watchTime = 12_000
/** Every further attempt means that another process made progress. */
const attempts = 200

/**
 * Takes the lock of an execution, or says who has it. Never rejects.
 *
 * Of any number of processes that try at once exactly one gets it, also when a stale lock has to be taken over, and also
 * when some of them are killed on the way (see `Chain`). A lock is stale when its process has ended, or its id now
 * belongs to another process, or when it runs but has not written a heartbeat for 60 s. The last is checked twice,
 * 12 s apart, so that a machine that slept or a clock that jumped costs nobody the lock; then the silent process is
 * ended (C7), and if it cannot be, the lock stays its own. Of a process on another machine only the heartbeat counts. A
 * file that names nobody is taken 60 s after its last change, and kept aside.
 */
export async function acquireLock(options: LockOptions): Promise<LockResult> {
  const { lockFile } = options
  let draft: OwnFile | undefined
  let result: LockResult | undefined
  try {
    for (let attempt = 1; attempt <= attempts && !result; attempt++) {
      const chain = await readChain(lockFile)
      const obstacle = await obstacleIn(chain, options)
      if (obstacle === 'changed') continue
      draft ??= obstacle ? undefined : createDraft(lockFile, newRecord(options))
      result = obstacle ?? (draft && (await take(chain, draft, options)))
    }
    if (result?.kind === 'acquired') await sweepLeftovers(dirname(lockFile), draftPrefix)
  } catch (error) {
    result ??= failure(options, error)
  } finally {
    if (draft && result?.kind !== 'acquired') discardDraft(draft)
  }
  return result ?? failure(options, new Error(`${lockFile} changes hands again and again`))
}

/** Why the lock cannot be taken now; nothing if it can. */
async function obstacleIn(chain: Chain, options: LockOptions): Promise<LockResult | 'changed' | undefined> {
  if (chain.kind === 'free') return undefined
  if (chain.kind === 'unreadable') return damaged(chain)
  const { last, ids } = chain
  const standing = standingOf(last, options.clock.now())
  if (standing === 'gone') return undefined
  if (last.pid === 0) return namesNobody(options.lockFile)
  // A claim has no heartbeat: it is held for a moment only.
  if (standing === 'live' || ids.length > 1) return held(last)
  await options.clock.sleep(watchTime)
  const later = await readChain(options.lockFile)
  if (later.kind !== 'chain' || later.ids.join() !== ids.join()) return 'changed'
  return hasBeaten(last, later.first) ? held(later.first) : undefined
}

/** Undefined when another process was quicker. Throws the system's error. */
async function take(chain: Chain, draft: OwnFile, options: LockOptions): Promise<LockResult | undefined> {
  if (chain.kind === 'unreadable') return damaged(chain)
  if (chain.kind === 'chain') return replace(chain, draft, options)
  if (!linkIfFree(draft.path, options.lockFile)) return undefined
  removeQuietly(draft.path)
  return { kind: 'acquired', lock: holdLock(draft, options) }
}

/** Claims a chain and puts our own lock in its place. A claim that comes to nothing is taken back. */
async function replace(
  claimed: ClaimedChain,
  draft: OwnFile,
  options: LockOptions,
): Promise<LockResult | undefined> {
  const { lockFile, clock } = options
  const claim = claimFile(lockFile, claimed.ids)
  if (!linkIfFree(draft.path, claim)) return undefined
  try {
    if (!(await isClaimGood(claimed, lockFile))) return undefined
    const survives = await endHolder(claimed.first)
    if (survives !== undefined) return notEnded(claimed.first, survives)
    if (!(await isClaimGood(claimed, lockFile))) return undefined
    const keptAside = claimed.first.pid === 0 ? asideName(lockFile, clock.now()) : undefined
    if (keptAside !== undefined) linkIfFree(lockFile, keptAside)
    renameSync(draft.path, lockFile)
    for (const path of claimsOf(lockFile, claimed.ids)) removeQuietly(path)
    const before = keptAside === undefined ? { tookOver: holderOf(claimed.first) } : { keptAside }
    return { kind: 'acquired', lock: holdLock(draft, options), ...before }
  } finally {
    removeQuietly(claim)
  }
}

function asideName(lockFile: string, now: Date): string {
  return `${lockFile}.damaged-${now.toISOString().replaceAll(/[:.]/g, '-')}`
}

type ClaimedChain = Extract<Chain, { kind: 'chain' }>

/** C3, and the other half of the agreement with a holder that wakes up, see `holdLock`. */
async function isClaimGood(claimed: ClaimedChain, lockFile: string): Promise<boolean> {
  const now = await readChain(lockFile)
  if (now.kind !== 'chain' || now.ids.length !== claimed.ids.length + 1) return false
  return claimed.ids.every((id, at) => now.ids[at] === id) && !hasBeaten(claimed.first, now.first)
}

function hasBeaten(before: LockEntry, now: LockEntry): boolean {
  return before.record?.lastHeartbeat !== now.record?.lastHeartbeat
}

function newRecord({ runId, clock, port = 0, token }: LockOptions): LockRecord {
  const now = clock.now().toISOString()
  const { pid } = process
  const pidStartTime = processStartTime(pid) ?? ''
  const record = { pid, pidStartTime, host: hostname(), runId, startTime: now, lastHeartbeat: now, port }
  return { ...record, ...(token !== undefined && { token }) }
}

export type LockState =
  | { readonly kind: 'free' }
  /** `silent`: its process runs, but the last heartbeat is older than 60 s. */
  | { readonly kind: 'held'; readonly holder: LockHolder; readonly silent: boolean }
  | { readonly kind: 'stale'; readonly holder: LockHolder }
  | { readonly kind: 'unreadable'; readonly message: string; readonly cure: string }

/** Who holds an execution, for those who only want to know. Never rejects, changes nothing, waits for nothing. */
export async function readLock(lockFile: string, clock: Clock): Promise<LockState> {
  const found = await readEntry(lockFile)
  if (found.kind === 'none') return { kind: 'free' }
  if (found.kind === 'unreadable') return { ...damaged(found), kind: 'unreadable' }
  const holder = holderOf(found.entry)
  const standing = standingOf(found.entry, clock.now())
  if (found.entry.pid === 0 && standing === 'live') return { ...namesNobody(lockFile), kind: 'unreadable' }
  // Of a process on another machine, or before this one was started anew, only the heartbeat can say that it is there.
  const isGone = standing === 'gone' || (standing === 'silent' && !isLocal(found.entry))
  return isGone ? { kind: 'stale', holder } : { kind: 'held', holder, silent: standing === 'silent' }
}

/** Such as `process 4711 (port 40123) since 2026-01-01T00:00:00.000Z`. */
export function describeHolder({ pid, port, since, record }: LockHolder): string {
  const where = port === undefined ? '' : ` (port ${port})`
  const host = record && !isLocal(record) ? ` on ${record.host ?? ''}` : ''
  return `process ${pid}${host}${where}${since === undefined ? '' : ` since ${since}`}`
}

function holderOf({ pid, record }: LockEntry): LockHolder {
  if (!record) return { pid }
  const { port, startTime } = record
  return { pid, since: startTime, record, ...(port > 0 && { port }) }
}

function held(entry: LockEntry): LockResult & { readonly kind: 'held' } {
  const holder = holderOf(entry)
  return { kind: 'held', holder, message: `the execution is held by ${describeHolder(holder)}` }
}

function notEnded(entry: LockEntry, why: string): LockResult {
  const { holder, message } = held(entry)
  const silent = `It has not been heard of for over ${staleAfter / 1000} s, and ${why}`
  return { kind: 'held', holder, message: `${message}. ${silent}. End process ${holder.pid}, then try again` }
}

function namesNobody(path: string): LockFailure {
  const message = `${path} is damaged and does not say who holds it`
  const cure = `Try again in a minute: unless somebody writes to it until then, it is set aside`
  return { kind: 'failed', path, message, cure }
}

function damaged({ path, message, isDamaged }: UnreadableEntry): LockFailure {
  const remove = `If no weave server works in ${dirname(dirname(path))}, delete ${path} and try again`
  return { kind: 'failed', path, message, cure: isDamaged ? remove : tryAgain }
}

const tryAgain = 'See to the disk and its permissions, and try again'

function failure({ lockFile }: LockOptions, error: unknown): LockFailure {
  const code = errorCode(error)
  const noLinks = code === 'EPERM' || code === 'ENOTSUP' || code === 'ENOSYS'
  const cure = noLinks ? 'Choose an executionBaseDir on a file system with hard links' : tryAgain
  const message = `the lock cannot be taken: ${wordsOf(error)}`
  return { kind: 'failed', path: lockFile, message, cure, isReadOnly: code === 'EROFS' || code === 'EACCES' }
}
