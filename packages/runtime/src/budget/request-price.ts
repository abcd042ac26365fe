import type { TokenCounts } from '@weave/protocol'
import { costOf, type Model, type Prices } from '../models/index.ts'

/** What is known of a request before it goes out. */
export interface RequestSize {
  /** Of its body; absent: nobody knows. */
  readonly bytes?: number | undefined
  readonly maxTokens?: number | undefined
  readonly answers: number
  /** More goes in than the body holds. */
  readonly hasMore: boolean
  /** What goes into the provider's cache stays there for long. */
  readonly isKeptLong: boolean
}

type Priced = Pick<Model, 'contextWindow' | 'maxOutputTokens' | 'prices'>

/** Providers put a few words of their own before a conversation with tools, and charge for them. */
const ownTokens = 2_000
/** What keeping something for long costs, in the price of input. */
const longFactor = 2

/**
 * The most that a request can cost, in tokens and in millionths of a dollar: a token has at least one byte, a provider refuses
 * more than the window, and answers with no more than it is asked for. Undefined when something of that is not known.
 */
export function mostOf(
  size: RequestSize,
  { contextWindow, maxOutputTokens, prices }: Priced,
): { readonly tokens: number; readonly micros: number } | undefined {
  const window = contextWindow ?? Number.POSITIVE_INFINITY
  const input = size.hasMore || size.bytes === undefined ? window : Math.min(size.bytes + ownTokens, window)
  const output = (size.maxTokens ?? maxOutputTokens ?? window) * size.answers
  if (!prices || !Number.isFinite(input + output)) return undefined
  const rows = [prices, ...(prices.tiers ?? [])]
  const dearest = Math.max(...rows.flatMap(each => [inputPrice(each, size), each.cacheRead]))
  const out = Math.max(...rows.map(each => each.output))
  // Dollars for a million tokens are millionths of a dollar for one.
  return { tokens: input + output, micros: Math.ceil(input * dearest + output * out) }
}

function inputPrice({ input, cacheWrite }: Pick<Prices, 'input' | 'cacheWrite'>, size: RequestSize): number {
  return Math.max(input, cacheWrite, size.isKeptLong ? longFactor * input : 0)
}

/** What an answer cost, in millionths of a dollar; undefined without a price. */
export function chargeOf(
  tokens: TokenCounts,
  size: Pick<RequestSize, 'isKeptLong'>,
  prices: Prices | undefined,
): number | undefined {
  if (!prices) return undefined
  const kept = (row: Omit<Prices, 'tiers' | 'source' | 'date'>) =>
    size.isKeptLong ? { ...row, cacheWrite: Math.max(row.cacheWrite, longFactor * row.input) } : row
  const tiers = prices.tiers?.map(tier => ({ ...tier, ...kept(tier) }))
  const cost = costOf(tokens, { ...prices, ...kept(prices), ...(tiers && { tiers }) })
  return cost.known ? Math.ceil(cost.dollars * 1e6) : undefined
}
