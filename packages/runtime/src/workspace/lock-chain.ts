import { createHash } from 'node:crypto'
import { linkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { errorCode } from '../kit/index.ts'
import { type LockEntry, readEntry, type UnreadableEntry } from './lock-record.ts'

/**
 * How a lock changes hands, so that a race has one winner whoever dies in the middle of it.
 *
 * - C1 `lock.json` comes to life complete, by a hard link to a finished file, which fails when the name is taken.
 * - C2 Whoever wants to remove or replace lock X first makes the claim on X, a file named after X, in the same way. Only
 *   the owner of the claim touches X, and X itself goes the same way when it is released.
 * - C3 A claim counts only if, after it was made, `lock.json` was still X. Ids never come back, so a claim that is made
 *   too late can be seen to be void, and claims may be cleared away as soon as X is replaced.
 * - C4 A claim holds the record of its owner. If that one dies before it replaced X, the claim is claimed in turn, under
 *   a name made from both: `lock.json`, the claim on it, the claim on that … are a chain, and its end decides.
 * - C5 Heartbeats are written into the owner's own file through its descriptor, never by name, so a server that wakes
 *   up after it lost its lock cannot overwrite that of its successor.
 * - C6 Before every write to the execution the holder checks that `lock.json` is still its own file, and ends if it is
 *   not. Between that check and the write lie microseconds, not a heartbeat.
 * - C7 Whoever takes over from a process that runs on the same machine ends it (SIGKILL, by number and start time) after
 *   its claim and before its own first write, or leaves the lock alone. So a holder that was stopped between its check and
 *   its write never comes to the write. What is left: that very moment on another machine, or when a person removed
 *   `lock.json`.
 */
export type Chain =
  | { readonly kind: 'free' }
  | { readonly kind: 'chain'; readonly first: LockEntry; readonly last: LockEntry; readonly ids: Ids }
  | UnreadableEntry

/** The ids of a chain, the lock itself first. */
export type Ids = readonly string[]

/** Each crash in the middle of a take-over makes a chain one longer; the next one that succeeds clears it. */
const longestChain = 64
const rereads = 100

export async function readChain(lockFile: string): Promise<Chain> {
  for (let read = 1; read <= rereads; read++) {
    const chain = await followOnce(lockFile)
    if (chain.kind !== 'chain') return chain
    // The claims belong to the lock that was read only if it is still there.
    const now = await readEntry(lockFile)
    if (now.kind === 'entry' && now.entry.id === chain.ids[0]) return chain
  }
  const message = `${lockFile} changes hands again and again`
  return { kind: 'unreadable', path: lockFile, message, isDamaged: false }
}

async function followOnce(lockFile: string): Promise<Chain> {
  const found = await readEntry(lockFile)
  if (found.kind !== 'entry') return found.kind === 'none' ? { kind: 'free' } : found
  const first = found.entry
  let last = first
  let ids: Ids = [first.id]
  for (;;) {
    const claim = await readEntry(claimFile(lockFile, ids))
    if (claim.kind === 'unreadable') return claim
    if (claim.kind === 'none') return { kind: 'chain', first, last, ids }
    last = claim.entry
    ids = [...ids, last.id]
    if (ids.length > longestChain) {
      const message = `${lockFile} was claimed too many times`
      return { kind: 'unreadable', path: lockFile, message, isDamaged: true }
    }
  }
}

/** The claim on the end of a chain. */
export function claimFile(lockFile: string, ids: Ids): string {
  const digest = createHash('sha256').update(ids.join('\n')).digest('hex').slice(0, 32)
  return join(dirname(lockFile), `lock.claim-${digest}`)
}

/** The claims that made a chain as long as it is. */
export function claimsOf(lockFile: string, ids: Ids): readonly string[] {
  return ids.slice(1).map((_, at) => claimFile(lockFile, ids.slice(0, at + 1)))
}

/** `false`: the name is taken. Throws the system's error for everything else. */
export function linkIfFree(existing: string, name: string): boolean {
  try {
    linkSync(existing, name)
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  }
}
