import { expect, test } from 'vitest'
import {
  codonStatusWords,
  dollarsText,
  durationText,
  exitText,
  tokenCountsText,
  tokensText,
  untilText,
} from '../src/view-text.ts'
import { timeAt, tokens } from './event-samples.ts'

test.each([
  [0, '0.0 s'],
  [-5, '0.0 s'],
  [Number.NaN, '0.0 s'],
  [420, '0.4 s'],
  [3_200, '3.2 s'],
  [9_940, '9.9 s'],
  [9_960, '10 s'],
  [42_000, '42 s'],
  [59_600, '1m 00s'],
  [185_000, '3m 05s'],
  [3_599_400, '59m 59s'],
  [3_599_600, '1h 00m'],
  [3_720_000, '1h 02m'],
  [86_399_000, '23h 59m'],
  [183_600_000, '2d 03h'],
])('%d ms is %s', (ms, text) => {
  expect(durationText(ms)).toBe(text)
})

test.each([
  [0, {}, '$0.00'],
  [0.01234, {}, '$0.0123'],
  [0.00001, {}, '<$0.0001'],
  [0.99999, {}, '$1.00'],
  [12.345678, {}, '$12.35'],
  [0, { unknown: true }, 'unknown'],
  [0.5, { unknown: true }, '$0.5000 + unknown'],
  [0.5, { simulated: true }, '$0.5000 (simulated)'],
])('%d dollars %j is %s', (amount, options, text) => {
  expect(dollarsText(amount, options)).toBe(text)
})

test.each([
  [0, '0'],
  [999, '999'],
  [1_000, '1.0k'],
  [12_345, '12.3k'],
  [99_949, '99.9k'],
  [99_951, '100k'],
  [999_400, '999k'],
  [999_500, '1.0M'],
  [1_234_567, '1.2M'],
])('%d tokens are %s', (count, text) => {
  expect(tokensText(count)).toBe(text)
})

test('tokens from a cache count as input', () => {
  expect(tokenCountsText(tokens)).toBe('110 in, 5 out')
})

test('a time to come is said as a wait', () => {
  const now = Date.parse(timeAt(0))
  expect(untilText(timeAt(65), now)).toBe('in 1m 05s')
  expect(untilText(timeAt(-1), now)).toBe('now')
  expect(untilText('nonsense', now)).toBe('now')
})

test('exits and statuses have words', () => {
  expect(exitText({ type: 'success' })).toBe('success')
  expect(exitText({ type: 'error', code: 3 })).toBe('exit code 3')
  expect(exitText({ type: 'killed', signal: 'SIG\x1bTERM' })).toBe('killed by SIG\\u{1b}TERM')
  expect(codonStatusWords['completing-sentinels']).toBe('finishing sentinels')
})
