import {
  type BigIntStats,
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { createFlags } from '../files/index.ts'
import { type Clock, errorCode } from '../kit/index.ts'
import { unfinishedName } from './classify-directory.ts'
import { claimFile, linkIfFree } from './lock-chain.ts'
import { inodeOf, type LockRecord, lockId, recordBytes, staleAfter } from './lock-record.ts'

/** The file with our record: first a draft under a name of its own, then, linked or renamed, the lock. */
export interface OwnFile {
  /** The name of the draft. */
  readonly path: string
  readonly fd: number
  readonly record: LockRecord
}

/** Of the names of drafts. */
export const draftPrefix = 'lock.draft'
const recordSize = 1024

/** Throws the system's error; then nothing is left behind. */
export function createDraft(lockFile: string, owner: Omit<LockRecord, 'inode'>): OwnFile {
  const path = join(dirname(lockFile), unfinishedName(draftPrefix))
  const fd = openSync(path, createFlags, 0o600)
  try {
    const record = { ...owner, inode: inodeOf(fstatSync(fd)) }
    writeWhole(fd, recordBytes(record, recordSize))
    fsyncSync(fd)
    return { path, fd, record }
  } catch (error) {
    closeSync(fd)
    removeQuietly(path)
    throw error
  }
}

export function discardDraft({ path, fd }: OwnFile): void {
  closeSync(fd)
  removeQuietly(path)
}

/** See `LockOptions`. */
export interface HoldOptions {
  readonly lockFile: string
  readonly clock: Clock
  readonly onLost: (reason: string) => void
}

/** The lock is no longer ours: nothing may be written any more. */
export class LockLost extends Error {
  override readonly name = 'LockLost'
}

export type LockUpdate = Partial<Pick<LockRecord, 'port' | 'proxyPort' | 'token' | 'detached'>>

/** Milliseconds between two heartbeats: twelve fit into the time after which a lock is stale. */
const heartbeatInterval = 5_000

/** A lock that this process holds. None of the methods waits. */
export type ExecutionLock = ReturnType<typeof holdLock>

/** Starts the heartbeat of a file that has become the lock. Owns the descriptor from now on. */
export function holdLock(own: OwnFile, { lockFile, clock, onLost }: HoldOptions) {
  let { record } = own
  let size = recordSize
  let written = clock.monotonic()
  let outcome: 'released' | 'lost' | undefined
  const { ino, dev } = fstatSync(own.fd, { bigint: true })
  // The descriptor is open, so the number of its file cannot have been given to another.
  const isInPlace = (): boolean => {
    const there = statOrNothing(lockFile)
    return there?.ino === ino && there.dev === dev
  }
  const ownClaim = claimFile(lockFile, [lockId(record)])

  const write = (next: LockRecord): void => {
    const bytes = recordBytes(next, size)
    writeWhole(own.fd, bytes)
    size = bytes.length
    record = next
    written = clock.monotonic()
  }
  const isHeld = (): boolean => outcome === undefined && isInPlace() && !existsSync(ownClaim)
  const end = (how: 'released' | 'lost'): typeof how => {
    stopBeating()
    if (outcome === undefined) closeSync(own.fd)
    outcome ??= how
    return outcome
  }
  const lose = (reason: string): void => {
    if (outcome !== undefined) return
    end('lost')
    onLost(reason)
  }
  // Heartbeat first, then the check for a claim: a rival claims first, then checks the heartbeat. So at least
  // one of the two sees the other and gives way.
  const beat = (): void => {
    try {
      write({ ...record, lastHeartbeat: clock.now().toISOString() })
    } catch (error) {
      const isTooLong = clock.monotonic() - written > staleAfter
      if (isTooLong) lose(`${lockFile} cannot be renewed (${errorCode(error) ?? String(error)})`)
    }
    if (!isHeld()) lose(takenOver(lockFile))
  }
  const stopBeating = clock.every(heartbeatInterval, beat)

  return {
    record: () => record,
    /**
     * Tells readers of the lock; nothing happens when it is no longer ours. Throws the system's error when the disk
     * refuses; the lock is held all the same.
     */
    update(change: LockUpdate): void {
      // The number of a closed descriptor may already be that of another file.
      if (outcome === undefined) write({ ...record, ...change })
    },
    /** Reads the disk: whether the lock is still ours and no claim for it is made. */
    isHeld,
    /**
     * To be called before every write to the execution (C6). Throws `LockLost`, and `onLost` was called before, when the
     * lock is not ours any more. One `lstat`, a few microseconds.
     */
    assertHeld(): void {
      if (outcome === undefined && isInPlace()) return
      lose(takenOver(lockFile))
      throw new LockLost(takenOver(lockFile))
    },
    /** Removes the lock if it is still ours; `lost` if not. May be called again. Never throws. */
    release: () => outcome ?? end(removeOwn(isInPlace, lockFile, ownClaim) ? 'released' : 'lost'),
  }
}

function takenOver(lockFile: string): string {
  return `${lockFile} was taken over or removed`
}

/** C2: a release claims first, like everyone else who removes a lock. */
function removeOwn(isInPlace: () => boolean, lockFile: string, ownClaim: string): boolean {
  try {
    if (!isInPlace() || !linkIfFree(lockFile, ownClaim)) return false
    const isOurs = isInPlace()
    if (isOurs) unlinkSync(lockFile)
    removeQuietly(ownClaim)
    return isOurs
  } catch {
    return false
  }
}

function statOrNothing(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

function writeWhole(fd: number, bytes: Buffer): void {
  let at = 0
  while (at < bytes.length) at += writeSync(fd, bytes, at, bytes.length - at, at)
}

/** What cannot be removed is left: it does no harm, and what counts has already happened. */
export function removeQuietly(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    return
  }
}
