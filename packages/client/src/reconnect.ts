/** When to try again after a connection was lost, and when not. Pure: chance comes in as a number. */
export interface ReconnectPolicy {
  /** The wait before the first new attempt; each further one doubles it. */
  readonly baseDelayMs: number
  readonly maxDelayMs: number
  /** Which part of a delay is left to chance, 0 to 1, so that many clients do not come back in the same instant. */
  readonly jitter: number
  /** How many attempts in a row may fail. */
  readonly maxAttempts: number
  /** A connection that was open this long starts the counting of attempts anew. */
  readonly stableMs: number
  /** Also tries again when the very first connection fails. Off: a wrong address is said at once. */
  readonly fromStart: boolean
}

export const defaultReconnect: ReconnectPolicy = {
  baseDelayMs: 250,
  maxDelayMs: 10_000,
  jitter: 0.5,
  maxAttempts: Number.POSITIVE_INFINITY,
  stableMs: 5_000,
  fromStart: false,
}

/** Ends that this side decides on; like all codes from 4000 on they are final. */
export const clientCloseCodes = {
  /** The server answered the handshake with an error. */
  refused: 4801,
  /** Behind the address there is now another execution than before. */
  otherExecution: 4802,
} as const

/** 1000 ended on purpose; 1002, 1003, 1007 and 1010 this client speaks wrongly; 1008 the server does not want it. */
const finalCodes: ReadonlySet<number> = new Set([1000, 1002, 1003, 1007, 1008, 1010])

/**
 * Whether a close code ends it for good. Everything else is worth another attempt: 1001 (going away), 1005, 1006 (lost),
 * 1009 (one frame was too large), 1011, 1012, 1013 (fell behind), 1014.
 */
export function isFinalClose(code: number): boolean {
  return finalCodes.has(code) || (code >= 4000 && code <= 4999)
}

/** The wait before attempt `attempt` (from 1). `chance` is in [0, 1): 0 gives the whole delay, 1 the shortest. */
export function reconnectDelay(policy: ReconnectPolicy, attempt: number, chance: number): number {
  const whole = Math.min(policy.baseDelayMs * 2 ** (attempt - 1), policy.maxDelayMs)
  return Math.round(whole * (1 - policy.jitter * chance))
}
