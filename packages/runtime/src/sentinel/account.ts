import type { UsedTokens } from '../llm/index.ts'
import { costOf, type Prices } from '../models/index.ts'

/** What a sentinel has spent so far. */
export interface Account {
  readonly dollars: number
  /** Some of it has no known price. */
  readonly isUnknown: boolean
  readonly tokens: { readonly input: number; readonly output: number }
  readonly calls: number
}

export const emptyAccount: Account = {
  dollars: 0,
  isUnknown: false,
  tokens: { input: 0, output: 0 },
  calls: 0,
}

/** The account of one call. `tokens` are undefined when there was no answer. */
export function chargeOf(tokens: UsedTokens | undefined, prices: Prices | undefined): Account {
  if (!tokens || tokens === 'unknown') return { ...emptyAccount, isUnknown: tokens === 'unknown', calls: 1 }
  const { inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens } = tokens
  const cost = costOf(tokens, prices)
  return {
    dollars: cost.known ? cost.dollars : 0,
    isUnknown: !cost.known,
    tokens: { input: inputTokens + cacheReadTokens + cacheCreationTokens, output: outputTokens },
    calls: 1,
  }
}

export function addAccounts(one: Account, other: Account): Account {
  return {
    dollars: one.dollars + other.dollars,
    isUnknown: one.isUnknown || other.isUnknown,
    tokens: {
      input: one.tokens.input + other.tokens.input,
      output: one.tokens.output + other.tokens.output,
    },
    calls: one.calls + other.calls,
  }
}
