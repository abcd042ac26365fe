import { expect, test } from 'vitest'
import { retryAfterOf } from '../../src/kit/index.ts'

const now = new Date('2026-01-01T00:00:00.000Z')

test.each([
  [{ 'retry-after': '120' }, 120_000],
  [{ 'retry-after': '0.5' }, 500],
  [{ 'retry-after': '0' }, 0],
  [{ 'retry-after': ' 7 ' }, 7_000],
  [{ 'retry-after-ms': '1500', 'retry-after': '9' }, 1_500],
  [{ 'retry-after-ms': 'x', 'retry-after': '9' }, 9_000],
  [{ 'retry-after': 'Thu, 01 Jan 2026 00:02:00 GMT' }, 120_000],
  [{ 'retry-after': 'Thu, 01 Jan 2020 00:02:00 GMT' }, 0],
  [{ 'retry-after': 'soon' }, undefined],
  [{ 'retry-after': '-5' }, undefined],
  [{ 'retry-after': '' }, undefined],
  [{}, undefined],
])('the wait that a provider asks for by %o is %s', (headers: Readonly<Record<string, string>>, expected) => {
  expect(retryAfterOf(name => headers[name], now)).toBe(expected)
})
