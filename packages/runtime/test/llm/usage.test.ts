import { expect } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { tokensOf } from '../../src/llm/complete.ts'
import { chargeOf } from '../../src/sentinel/model-calls.ts'

type Given = Parameters<typeof tokensOf>[0]

const usage = (given: Partial<Given>): Given => ({
  inputTokens: 9,
  outputTokens: 4,
  totalTokens: 13,
  inputTokenDetails: { noCacheTokens: undefined, cacheReadTokens: undefined, cacheWriteTokens: undefined },
  outputTokenDetails: { textTokens: undefined, reasoningTokens: undefined },
  ...given,
})

verifies(['attack/usage-missing'], 'usage of a call that was not told, or cannot be, is not known', () => {
  expect(tokensOf(usage({}))).toMatchObject({ inputTokens: 9, outputTokens: 4 })
  const cached = { noCacheTokens: 0, cacheReadTokens: 9, cacheWriteTokens: undefined }
  expect(tokensOf(usage({ inputTokenDetails: cached }))).toMatchObject({ inputTokens: 0, cacheReadTokens: 9 })
  for (const odd of [undefined, -1, Number.NaN, 1e308, 1.5]) {
    expect(tokensOf(usage({ inputTokens: odd }))).toBe('unknown')
    expect(tokensOf(usage({ outputTokens: odd }))).toBe('unknown')
  }
  expect(tokensOf(usage({ inputTokens: 0 }))).toBe('unknown')

  const prices = undefined
  expect(chargeOf('unknown', prices)).toMatchObject({ dollars: 0, isUnknown: true, calls: 1 })
  expect(chargeOf(undefined, prices)).toMatchObject({ dollars: 0, isUnknown: false, calls: 1 })
})
