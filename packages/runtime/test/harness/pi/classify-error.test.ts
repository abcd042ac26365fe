import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../../test/conformance/verifies.ts'
import { createTestClock } from '../../../../../test/support/test-clock.ts'
import { failureOf } from '../../../src/harness/index.ts'
import { type ProviderCall, retryAfterOf } from '../../../src/harness/pi/worker/observe-fetch.ts'
import { classifyError } from '../../../src/harness/pi/worker/take-turn.ts'

const call = (given: Partial<ProviderCall>): ProviderCall => ({ isWhole: true, isRefusal: false, ...given })

verifies(
  ['d8/final-billing'],
  'an account without money is final, also where it is told like a rate limit',
  () => {
    const quota = '{"error":{"message":"You exceeded your current quota.","code":"insufficient_quota"}}'
    const credit = '{"type":"error","error":{"message":"Your credit balance is too low."}}'
    const answers = [
      call({ status: 429, body: quota }),
      call({ status: 400, body: credit }),
      call({ status: 402, body: '{"error":{"code":402,"message":"Insufficient credits"}}' }),
    ]
    for (const one of answers) expect(failureOf(classifyError('refused', one)).retriable).toBe(false)
    expect(failureOf(classifyError('x', answers[0])).message).toBe('429: You exceeded your current quota.')
  },
)

test.each([
  ['{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}', 529, 'Overloaded'],
  ['{"type":"error","error":{"type":"rate_limit_error","message":"Slow"}}', 429, 'Slow'],
  ['{"type":"error","error":{"type":"api_error","message":"Oops"}}', 500, 'Oops'],
  ['server_error: The server had an error', 500, 'server_error: The server had an error'],
  ['Error Code rate_limit_exceeded: wait', 429, 'Error Code rate_limit_exceeded: wait'],
  ['Provider returned error', 502, 'Provider returned error'],
])('an error inside an answer that began well counts as what it says: %s', (said, status, message) => {
  expect(classifyError(said, call({ status: 200 }))).toEqual({ kind: 'answer', status, message })
})

test.each([
  'terminated',
  'Anthropic stream ended before message_stop',
  'Stream ended without finish_reason',
  'other side closed',
  'Provider finish_reason: network_error',
])('an answer that breaks off is a matter of the connection: %s', said => {
  expect(classifyError(said, call({ status: 200 })).kind).toBe('connection')
})

test('an error of the SDK itself is not the fault of the provider', () => {
  expect(classifyError('Cannot read properties of undefined', undefined).kind).toBe('unknown')
  expect(classifyError('Unhandled stop reason: sleepy', call({ status: 200 })).kind).toBe('unknown')
})

test('an error in a list is read like any other', () => {
  expect(classifyError('x', call({ status: 503, body: '[{"error":{"message":"Busy."}}]' })).message).toBe(
    '503: Busy.',
  )
})

describe('the wait that a provider asks for', () => {
  const clock = createTestClock('2026-01-01T00:00:00.000Z')
  const asked = (headers: Record<string, string>, body = '') =>
    retryAfterOf(new Headers(headers), body, clock)

  test('is read from the headers first', () => {
    expect(asked({ 'retry-after': '7' }, '{"retryDelay": "17.5s"}')).toBe(7_000)
    expect(asked({})).toBeUndefined()
  })

  test('is read from the body of a refusal of Google', () => {
    expect(asked({}, '{"error":{"details":[{"retryDelay": "17.5s"}]}}')).toBe(17_500)
  })
})
