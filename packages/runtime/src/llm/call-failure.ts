import type { APICallError } from 'ai'
import { messageOf, retryAfterOf, systemClock } from '../kit/index.ts'
import type { Completion, CompletionRequest } from './completion.ts'
import { tokensOf } from './usage.ts'

type Failure = Extract<Completion, { ok: false }>

/** What an error of a call means. Never rejects. */
export async function failureOf(error: unknown, { signal, key }: CompletionRequest): Promise<Failure> {
  if (signal.aborted) return { ok: false, retriable: false, message: 'The call was stopped.' }
  const { APICallError, NoObjectGeneratedError, RetryError } = await import('ai')
  const cause = RetryError.isInstance(error) ? error.lastError : error
  if (APICallError.isInstance(cause)) return refusal(cause, key)
  if (NoObjectGeneratedError.isInstance(cause)) {
    const message = 'The answer does not have the shape that was asked for: it is not JSON'
    return { ok: false, retriable: true, message, ...(cause.usage && { tokens: tokensOf(cause.usage) }) }
  }
  const text = messageOf(cause)
  const message = `The call failed: ${readable(text, key)}`
  return { ok: false, retriable: false, message }
}

function refusal(error: APICallError, key: string): Failure {
  const { statusCode, isRetryable, responseHeaders = {} } = error
  const retryAfterMs = retryAfterOf(name => responseHeaders[name], systemClock.now())
  const what = statusCode === undefined ? 'The provider could not be reached' : `Status ${statusCode}`
  return {
    ok: false,
    retriable: isRetryable,
    ...(statusCode !== undefined && { status: statusCode }),
    message: `${what}: ${readable(error.message, key)}`,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    // An answer that cannot be read was given, and will be charged.
    ...(statusCode !== undefined && statusCode < 400 && { tokens: 'unknown' as const }),
  }
}

/** Some providers quote the key they refuse, whole or in part; a message is read by many. */
function readable(message: string, key: string): string {
  const short = message.length > longestMessage ? `${message.slice(0, longestMessage)}…` : message
  return key.length < 4 ? short : short.replaceAll(key, '[key]')
}

const longestMessage = 1_000
