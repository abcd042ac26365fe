import { isObject, textOf } from '../../../kit/index.ts'
import type { Trouble } from '../../failure.ts'
import type { ProviderCall } from './observe-fetch.ts'

/** `said`: the SDK's error message; `call`: what was seen of the call itself. */
export function classifyError(said: string, call: ProviderCall | undefined): Trouble {
  if (call?.unreachable !== undefined) {
    return { kind: 'connection', message: `The provider could not be reached: ${call.unreachable}` }
  }
  const { status, body = '' } = call ?? {}
  if (status !== undefined && status >= 400) return refusal(status, body, said)
  const message = sentences.get(said) ?? messageIn(said) ?? said
  if (status === undefined) return { kind: 'unknown', message }
  const meant = brokenOff.find(({ words }) => words.test(said))
  if (!meant) return { kind: 'unknown', message }
  return meant.status === undefined
    ? { kind: 'connection', message: `The answer of the provider was cut off: ${message}` }
    : { kind: 'answer', status: meant.status, message }
}

/** For what the SDK says when it knows no reason. */
const noReason = 'The provider refused to answer, or broke off without a reason.'
const sentences: ReadonlyMap<string, string> = new Map([
  ['', noReason],
  ['An unknown error occurred', noReason],
  ['Provider finish_reason: content_filter', 'The provider refused to answer.'],
])

/** An answer that began well and then broke off, by the words of the SDK or the provider. */
const brokenOff: readonly { readonly words: RegExp; readonly status?: number }[] = [
  { words: /rate.?limit|too many requests|resource.?exhausted/i, status: 429 },
  { words: /overloaded/i, status: 529 },
  { words: /server.?error|internal.?error|api_error|unavailable|timeout_error/i, status: 500 },
  { words: /provider.?returned.?error|finish_reason: error/i, status: 502 },
  { words: /terminated|ended (?:before|without)|closed|socket|network|premature|ECONN|timed? ?out|JSON/i },
]

/** Some providers answer 429 for an empty account; that is not retriable. */
const outOfMoney = /insufficient_quota|credit balance|billing_hard_limit/i
const paymentRequired = 402

function refusal(status: number, body: string, said: string): Trouble {
  const isMoney = status === 429 && outOfMoney.test(body)
  const message = `${status}: ${messageIn(body) ?? messageIn(said) ?? sentences.get(said) ?? said}`
  return { kind: 'answer', status: isMoney ? paymentRequired : status, message }
}

/** The sentence in an error of any of the dialects. */
function messageIn(text: string): string | undefined {
  const start = text.search(/[{[]/)
  if (start === -1) return undefined
  try {
    const value: unknown = JSON.parse(text.slice(start))
    const first: unknown = Array.isArray(value) ? value[0] : value
    const error = isObject(first) ? (first['error'] ?? first) : undefined
    return textOf(isObject(error) ? error['message'] : error) || undefined
  } catch {
    return undefined
  }
}
