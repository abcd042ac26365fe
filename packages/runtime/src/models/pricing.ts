import type { TokenCounts } from '@weave/protocol'
import type { Prices, TokenPrices } from './model.ts'

export type Cost = { readonly known: true; readonly dollars: number } | { readonly known: false }

/**
 * What one request cost. Give it the tokens of a single message, not a sum: some models charge a long request more, and
 * what counts as long is decided request by request, by its input of all kinds. Costs may be added up afterwards.
 *
 * `inputTokens` are those that were neither read from nor written to a cache. Without prices, and for counts that are
 * not counts, the cost is not known; it is never taken for zero.
 *
 * Arithmetic: doubles. The four products are added in millionths of a dollar and divided once, so the error stays
 * below one part in 10^15 and the result for whole tokens at prices with few digits prints without a tail of nines.
 */
export function costOf(tokens: TokenCounts, prices: Prices | undefined): Cost {
  const { inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens } = tokens
  const counts = [inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens]
  if (!prices || !counts.every(isCount)) return { known: false }
  const { input, output, cacheRead, cacheWrite } = pricesFor(
    inputTokens + cacheReadTokens + cacheCreationTokens,
    prices,
  )
  const millionths =
    inputTokens * input +
    outputTokens * output +
    cacheReadTokens * cacheRead +
    cacheCreationTokens * cacheWrite
  return { known: true, dollars: millionths / 1_000_000 }
}

function pricesFor(allInput: number, prices: Prices): TokenPrices {
  return prices.tiers?.findLast(({ above }) => allInput > above) ?? prices
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0
}
