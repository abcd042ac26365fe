import type { SdkMessage } from './sdk-message.ts'

/** What went on around the last request to the provider. */
export interface Circumstances {
  /** What the agent program said instead of an answer: a class of error. */
  readonly notice: string | undefined
  /** The provider was not reached. */
  readonly unreachable: boolean
}

export const calm: Circumstances = { notice: undefined, unreachable: false }

/** The circumstances after one more message. An answer ends every trouble before it. */
export function after(circumstances: Circumstances, message: SdkMessage): Circumstances {
  switch (message.kind) {
    case 'answer-began':
    case 'answer':
      return calm
    case 'notice':
      return { ...circumstances, notice: message.error ?? circumstances.notice }
    case 'retry':
      return { ...circumstances, unreachable: message.status === undefined }
    default:
      return circumstances
  }
}
