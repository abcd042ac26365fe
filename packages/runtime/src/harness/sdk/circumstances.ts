import type { SdkMessage } from './sdk-message.ts'

/** What went on around the last request to the provider. */
export interface Circumstances {
  /** What the agent program said instead of an answer: a class of error. */
  readonly notice: string | undefined
  /** The provider was not reached. */
  readonly unreachable: boolean
  /** How long the provider asked to wait. */
  readonly retryAfterMs: number | undefined
}

export const calm: Circumstances = { notice: undefined, unreachable: false, retryAfterMs: undefined }

/** The circumstances after one more message. An answer ends every trouble before it. */
export function after(circumstances: Circumstances, message: SdkMessage): Circumstances {
  switch (message.kind) {
    case 'answer-began':
    case 'answer':
      return calm
    case 'notice':
      return { ...circumstances, notice: message.error ?? circumstances.notice }
    case 'retry': {
      const { attempt, delayMs, status } = message
      const retryAfterMs = isOwnDelay(attempt, delayMs) ? circumstances.retryAfterMs : delayMs
      return { ...circumstances, unreachable: status === undefined, retryAfterMs }
    }
    default:
      return circumstances
  }
}

/**
 * A delay says nothing of where it comes from. The agent program's own grow from half a second by doubling and are up to
 * a quarter longer by chance; it waits longer only when the provider asks for it.
 */
function isOwnDelay(attempt: number, delayMs: number): boolean {
  return delayMs <= 500 * 2 ** (attempt - 1) * 1.25
}
