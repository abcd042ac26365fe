import { failureOf, type Trouble } from '../failure.ts'
import type { SdkMessage, SdkResult } from './sdk-message.ts'

/** What went wrong since the last answer of the provider. */
export interface ErrorContext {
  /** A class of error, said instead of an answer. */
  readonly notice: string | undefined
  readonly unreachable: boolean
}

export const noErrors: ErrorContext = { notice: undefined, unreachable: false }

/** An answer clears the errors before it. */
export function errorsAfter(errors: ErrorContext, message: SdkMessage): ErrorContext {
  switch (message.kind) {
    case 'answer-began':
    case 'answer':
      return noErrors
    case 'notice':
      return { ...errors, notice: message.error ?? errors.notice }
    case 'retry':
      return { ...errors, unreachable: message.status === undefined }
    default:
      return errors
  }
}

/** Why a turn did not go well; undefined when it did. */
export function classifyResult(result: SdkResult, errors: ErrorContext) {
  if (!result.isError) return undefined
  const contextFull = isContextFull(result)
  const full: Trouble = { kind: 'answer', status: 400, message: result.message }
  return { contextFull, reason: failureOf(contextFull ? full : troubleOf(result, errors)) }
}

const fullReasons = new Set(['prompt_too_long', 'blocking_limit', 'rapid_refill_breaker'])

function isContextFull({ terminalReason = '', message }: SdkResult): boolean {
  return fullReasons.has(terminalReason) || /\bcontext window limit\b/i.test(message)
}

function troubleOf(result: SdkResult, { notice = '', unreachable }: ErrorContext): Trouble {
  const message = result.message === '' ? 'The agent ended with an error.' : result.message
  if (result.startupFailure !== undefined) return { kind: 'launch', message }
  if (lostSession.test(message)) return { kind: 'lost-session', message }
  // An empty account is answered with the status of a bad request.
  const status = notice === 'billing_error' ? 402 : (result.status ?? statuses.get(notice))
  if (status === 401) return { kind: 'answer', status, message: aboutKey(message) }
  if (status !== undefined) return { kind: 'answer', status, message }
  if (notice === 'server_error' || unreachable) return { kind: 'connection', message }
  // Without a reason that has to do with the provider it is the agent program that failed.
  return { kind: result.terminalReason === undefined ? 'crash' : 'unknown', message }
}

const lostSession = /^No conversation found\b|--resume requires a valid session/

/** For classes of errors that come without a status. */
const statuses: ReadonlyMap<string, number> = new Map([
  ['account_on_hold', 403],
  ['authentication_failed', 401],
  ['cloud_credential_error', 401],
  ['invalid_request', 400],
  ['max_output_tokens', 400],
  ['model_not_found', 404],
  ['oauth_org_not_allowed', 403],
  ['overloaded', 529],
  ['rate_limit', 429],
  ['verification_required', 403],
])

/** The agent program names cures of its own, which do not help here. */
function aboutKey(message: string): string {
  if (/^not logged in/i.test(message)) return 'There is no key for the provider. Set ANTHROPIC_API_KEY.'
  return `The provider does not accept the key (${message}). Check ANTHROPIC_API_KEY.`
}
