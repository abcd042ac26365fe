import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { ClientMode, ReadErrorCode } from '@weave/protocol'
import type { Clock, Result } from '../kit/index.ts'

export interface DeskOptions {
  readonly clock: Clock
  /** Every session only watches. */
  readonly readonly: boolean
  /** Who has it may ask for links; absent: nobody may. */
  readonly ownerKey?: string | undefined
}

export interface MadeKey {
  readonly key: string
  readonly expiresAt: string
}

export interface MadeSession {
  readonly session: string
  readonly mode: ClientMode
  readonly expiresAt: string
}

type Traded = Result<{ readonly made: MadeSession }, { readonly code: ReadErrorCode }>

/** In milliseconds. */
export const lifetimes = {
  /** Of the key in a link that a command opens itself. */
  opened: 60_000,
  /** Of one that a person has to copy. */
  printed: 10 * 60_000,
  /** Of a session, since it was used last. */
  session: 12 * 3_600_000,
  /** How long a used key is known as used. */
  used: 24 * 3_600_000,
  wrongKeys: 60_000,
} as const

/** So many wrong keys in a minute, and for the next minute none is taken. */
const mostWrong = 10
const mostKept = 1_000

/**
 * Who gets in: a key buys one session, once. Only digests are kept, in memory alone, and all of them are compared each time,
 * so that neither a dump nor a stopwatch says anything about a key. Nothing here is ever written or logged.
 */
export type Desk = ReturnType<typeof createDesk>

export function createDesk({ clock, readonly, ownerKey }: DeskOptions) {
  const keys: { readonly digest: Buffer; readonly until: number; usedUntil?: number }[] = []
  const sessions: { readonly digest: Buffer; readonly mode: ClientMode; until: number }[] = []
  const owner = ownerKey === undefined ? undefined : digestOf(ownerKey)
  let wrong: number[] = []
  let closedUntil = Number.NEGATIVE_INFINITY

  const isWrongTooOften = (now: number): boolean => {
    wrong = [...wrong.filter(time => now - time < lifetimes.wrongKeys), now]
    if (wrong.length < mostWrong) return false
    closedUntil = now + lifetimes.wrongKeys
    wrong = []
    return true
  }
  const opened = (now: number): MadeSession => {
    const mode = readonly ? 'readonly' : 'readandwrite'
    const session = secret()
    keep(sessions, { digest: digestOf(session), mode, until: now + lifetimes.session })
    return { session, mode, expiresAt: after(clock, lifetimes.session) }
  }

  return {
    makeKey(lifetime: 'opened' | 'printed'): MadeKey {
      const key = secret()
      const ms = lifetimes[lifetime]
      keep(keys, { digest: digestOf(key), until: clock.monotonic() + ms })
      return { key, expiresAt: after(clock, ms) }
    },
    /** A session for a key. */
    trade(key: string): Traded {
      const now = clock.monotonic()
      if (now < closedUntil) return { ok: false, code: 'TOO_MANY_KEYS' }
      const found = among(keys, key)
      if (found?.usedUntil !== undefined && now < found.usedUntil) return { ok: false, code: 'KEY_USED' }
      if (found && found.usedUntil === undefined && now < found.until) {
        found.usedUntil = now + lifetimes.used
        return { ok: true, made: opened(now) }
      }
      return { ok: false, code: isWrongTooOften(now) ? 'TOO_MANY_KEYS' : 'KEY_UNKNOWN' }
    },
    /** What the holder of a session may do; undefined: it is none, or too old. Puts its end off. */
    modeOf(session: string | undefined): ClientMode | undefined {
      if (session === undefined) return undefined
      const now = clock.monotonic()
      const found = among(sessions, session)
      if (!found || now >= found.until) return undefined
      found.until = now + lifetimes.session
      return found.mode
    },
    isOwner: (key: string | undefined): boolean =>
      owner !== undefined && key !== undefined && timingSafeEqual(owner, digestOf(key)),
  }
}

/** 32 random bytes: 43 characters. */
export function secret(): string {
  return randomBytes(32).toString('base64url')
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** Looks at all of them, whichever it is. */
function among<Kept extends { readonly digest: Buffer }>(
  kept: readonly Kept[],
  text: string,
): Kept | undefined {
  const digest = digestOf(text)
  let found: Kept | undefined
  for (const each of kept) if (timingSafeEqual(each.digest, digest)) found = each
  return found
}

function keep<Kept>(kept: Kept[], one: Kept): void {
  kept.push(one)
  if (kept.length > mostKept) kept.shift()
}

function after(clock: Clock, ms: number): string {
  return new Date(clock.now().getTime() + ms).toISOString()
}
