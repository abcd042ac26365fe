import type { TokenCounts } from '@weave/protocol'
import type { LanguageModelUsage } from 'ai'
import { isTokenCount } from '../kit/index.ts'
import type { UsedTokens } from './completion.ts'

/**
 * In four classes, each token in one of them; the library counts cached ones as input, too. Unknown when the provider did
 * not tell them, or told what cannot be.
 */
export function tokensOf({ inputTokens, outputTokens, inputTokenDetails }: LanguageModelUsage): UsedTokens {
  const { noCacheTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = inputTokenDetails
  const plain = noCacheTokens ?? (inputTokens ?? 0) - cacheReadTokens - cacheWriteTokens
  const told = [plain, outputTokens, cacheReadTokens, cacheWriteTokens]
  if (!told.every(isTokenCount) || plain + cacheReadTokens + cacheWriteTokens === 0) return 'unknown'
  const tokens: TokenCounts = {
    inputTokens: plain,
    outputTokens: outputTokens ?? 0,
    cacheReadTokens,
    cacheCreationTokens: cacheWriteTokens,
  }
  return tokens
}
