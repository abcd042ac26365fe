import { type Answer, failure } from './answers.ts'
import type { Matter } from './confirmations.ts'
import type { Call, Surroundings } from './tool.ts'

export interface Question {
  readonly matter: Matter
  /** What would be done, for the person. */
  readonly message: string
  /** What the caller got from a preview. */
  readonly token: string | undefined
  /** Where a token comes from; absent: the refusal carries one. */
  readonly tokenFrom?: string
}

/**
 * Whether a person has said yes to just this, or a fresh preview of just this was used. Undefined: go on. Otherwise what
 * to answer, with nothing done.
 */
export function unconfirmed(question: Question, at: Surroundings, call: Call): Answer | undefined {
  const { matter, message, token, tokenFrom } = question
  const { confirmations } = at
  if (token !== undefined) {
    if (confirmations.take('preview', token, matter)) return undefined
    return failure(
      'STALE_PREVIEW',
      `The token is used up, too old, or for something else. Nothing was done. Look again: ${tokenFrom ?? matter.tool}.`,
    )
  }
  if (call.said) {
    if (!call.said.yes)
      return failure('DECLINED', 'The person said no. Nothing was done. Ask them what they want instead.')
    if (confirmations.take('asked', call.said.state ?? '', matter)) return undefined
    return failure(
      'STALE_PREVIEW',
      'The execution has changed since the person was asked. Nothing was done. Call again.',
    )
  }
  if (call.canAsk) return { kind: 'ask', message, state: confirmations.give('asked', matter) }
  if (tokenFrom !== undefined)
    return failure(
      'CONFIRMATION_REQUIRED',
      `Nobody can be asked here. Nothing was done. Call ${tokenFrom} first and pass its token.`,
    )
  return failure(
    'CONFIRMATION_REQUIRED',
    `${message} Nobody can be asked here. Nothing was done. Call again with this token to do it.`,
    { token: confirmations.give('preview', matter) },
  )
}
