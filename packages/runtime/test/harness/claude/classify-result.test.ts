import { expect, test } from 'vitest'
import { verifies } from '../../../../../test/conformance/verifies.ts'
import { classifyResult, errorsAfter, noErrors } from '../../../src/harness/claude/classify-result.ts'
import { readMessage } from '../../../src/harness/claude/read-message.ts'

/** The failure errorsAfter these messages, the last of which is the result. */
function judge(...messages: readonly object[]) {
  let errors = noErrors
  for (const raw of messages) {
    const message = readMessage(raw)
    if (message.kind === 'result') return classifyResult(message.result, errors)
    errors = errorsAfter(errors, message)
  }
  throw new Error('there is no result')
}

const notice = (error: string) => ({ type: 'assistant', message: { id: 'x', model: '<synthetic>' }, error })
const retry = (attempt: number, delay: number, status: number | null) => ({
  type: 'system',
  subtype: 'api_retry',
  attempt,
  retry_delay_ms: delay,
  error_status: status,
})
const apiError = (status: number | null, result = 'API Error', fields: object = {}) => ({
  type: 'result',
  subtype: 'success',
  is_error: true,
  terminal_reason: 'api_error',
  api_error_status: status,
  result,
  ...fields,
})
const failure = (errors: readonly string[], fields: object = {}) => ({
  type: 'result',
  subtype: 'error_during_execution',
  is_error: true,
  errors,
  ...fields,
})

test('a turn that went well has no failure', () => {
  expect(judge({ type: 'result', subtype: 'success', is_error: false, result: 'done' })).toBeUndefined()
})

test.each([
  ['prompt_too_long', apiError(400, 'Prompt is too long', { terminal_reason: 'prompt_too_long' })],
  ['blocking_limit', apiError(null, 'Context limit reached', { terminal_reason: 'blocking_limit' })],
  ['rapid_refill_breaker', apiError(null, 'Full again', { terminal_reason: 'rapid_refill_breaker' })],
  ['its words', apiError(null, 'API Error: The model has reached its context window limit.')],
])('a full context is known by %s', (_by, result) => {
  expect(judge(notice('invalid_request'), result)).toMatchObject({
    contextFull: true,
    reason: { type: 'api-error', retriable: false },
  })
})

test.each([
  ['403', [notice('authentication_failed'), apiError(403)]],
  ['an account on hold', [notice('account_on_hold'), apiError(null)]],
  ['a request that is too large', [notice('invalid_request'), apiError(413)]],
  ['an answer cut at its longest', [notice('max_output_tokens'), apiError(null)]],
  ['a refusal', [notice('invalid_request'), apiError(null)]],
])('%s is final', (_what, messages) => {
  expect(judge(...messages)).toMatchObject({
    contextFull: false,
    reason: { type: 'api-error', retriable: false },
  })
})

verifies(['d8/final-billing'], 'an empty account is final, whatever its status', () => {
  for (const status of [400, 429, null]) {
    const failure = judge(notice('billing_error'), apiError(status, 'Credit balance is too low'))
    expect(failure?.reason).toEqual({
      type: 'api-error',
      retriable: false,
      message: 'Credit balance is too low',
    })
  }
})

test('a missing key is final and names the cure that helps here', () => {
  const failure = judge(notice('authentication_failed'), apiError(null, 'Not logged in · Please run /login'))
  expect(failure?.reason).toEqual({
    type: 'api-error',
    retriable: false,
    message: 'There is no key for the provider. Set ANTHROPIC_API_KEY.',
  })
})

test('an overload without a status is retriable', () => {
  expect(judge(notice('overloaded'), apiError(null))?.reason).toMatchObject({ retriable: true })
  expect(judge(notice('rate_limit'), apiError(null))?.reason).toMatchObject({ type: 'rate-limit' })
})

test('a provider that was not reached is retriable, an error of no known class is not', () => {
  expect(judge(notice('unknown'), apiError(null))?.reason).toMatchObject({ retriable: false })
  expect(judge(retry(1, 540, null), notice('unknown'), apiError(null))?.reason).toMatchObject({
    type: 'api-error',
    retriable: true,
  })
})

test('an answer in between ends the trouble before it', () => {
  const answer = { type: 'assistant', message: { id: 'm1', model: 'claude-x', content: [] } }
  const failure = judge(retry(1, 9_000, null), answer, notice('unknown'), apiError(null))
  expect(failure).toEqual({ contextFull: false, reason: expect.objectContaining({ retriable: false }) })
})

test('a session that is not there and a program that cannot begin are final', () => {
  const lost = judge(failure(['No conversation found with session ID: 1']))
  expect(lost?.reason).toEqual({
    type: 'unknown',
    retriable: false,
    message: 'No conversation found with session ID: 1',
  })
  const launch = judge(failure(['no shell'], { startup_failure_reason: 'shell_tool_missing' }))
  expect(launch?.reason).toEqual({ type: 'unknown', retriable: false, message: 'no shell' })
})

test('a program that fails by itself may be asked again', () => {
  expect(judge(failure([]))?.reason).toEqual({
    type: 'api-error',
    retriable: true,
    message: 'The agent ended with an error.',
  })
})
