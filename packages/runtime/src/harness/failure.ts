import type { FailureReason } from '@weave/protocol'

/** What went wrong with an agent, as far as its SDK says. */
export interface Trouble {
  readonly kind: /** The provider answered with an error. */
    | 'answer'
    /** The provider could not be reached, or the connection broke. */
    | 'connection'
    /** The agent could not be started on this machine. */
    | 'launch'
    /** The agent ended without a result. */
    | 'crash'
    /** The session to go on from is not there. */
    | 'lost-session'
    | 'unknown'
  /** HTTP status of the provider's answer. */
  readonly status?: number | undefined
  /** For people: what the provider or the SDK said. */
  readonly message: string
}

const retriableStatus = new Set([408, 409, 425, 429])

/**
 * What a trouble means (decisions 8). Retriable: rate limits, overload, 5xx, connections, a crash without a result. Not
 * retriable: everything that will be the same next time, such as a wrong key, an empty account, an unknown model.
 */
export function failureOf({ kind, status, message }: Trouble): FailureReason {
  const broken = kind === 'connection' || kind === 'crash'
  if (status === undefined) return { type: broken ? 'api-error' : 'unknown', retriable: broken, message }
  if (status === 429) return { type: 'rate-limit', retriable: true, message }
  return { type: 'api-error', retriable: status >= 500 || retriableStatus.has(status), message }
}
