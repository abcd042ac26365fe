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
 * Arithmetic: a price counts to the millionth of a dollar per million tokens, which is as finely as the catalogue has
 * them, so the sum is one of whole numbers and exact up to nine thousand dollars a request. It is divided once; the
 * result is the double next to the true value. Nothing is rounded to cents.
 */
export function costOf(tokens: TokenCounts, prices: Prices | undefined): Cost {
  const { inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens } = tokens
  const counts = [inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens]
  if (!prices || !counts.every(isCount)) return { known: false }
  const { input, output, cacheRead, cacheWrite } = pricesFor(
    inputTokens + cacheReadTokens + cacheCreationTokens,
    prices,
  )
  const sum =
    inputTokens * inMillionths(input) +
    outputTokens * inMillionths(output) +
    cacheReadTokens * inMillionths(cacheRead) +
    cacheCreationTokens * inMillionths(cacheWrite)
  return { known: true, dollars: sum / 1e12 }
}

function inMillionths(dollars: number): number {
  return Math.round(dollars * 1e6)
}

function pricesFor(allInput: number, prices: Prices): TokenPrices {
  return prices.tiers?.findLast(({ above }) => allInput > above) ?? prices
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0
}
