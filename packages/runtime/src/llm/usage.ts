import type { TokenCounts } from '@weave/protocol'
import type { LanguageModelUsage } from 'ai'

/** In four classes, each token in one of them; the library counts cached ones as input, too. */
export function tokensOf({ inputTokens, outputTokens, inputTokenDetails }: LanguageModelUsage): TokenCounts {
  const { noCacheTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = inputTokenDetails
  const plain = noCacheTokens ?? (inputTokens ?? 0) - cacheReadTokens - cacheWriteTokens
  return {
    inputTokens: count(plain),
    outputTokens: count(outputTokens ?? 0),
    cacheReadTokens: count(cacheReadTokens),
    cacheCreationTokens: count(cacheWriteTokens),
  }
}

function count(value: number): number {
  return Number.isFinite(value) ? Math.max(0, Math.round(value)) : 0
}
