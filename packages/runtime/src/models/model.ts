import type { TokenCounts } from '@weave/protocol'
import type { Dialect } from './custom-provider.ts'
import type { ThinkingLevel } from './thinking.ts'

/** Dollars for one million tokens of each class. */
export interface TokenPrices {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
}

/** Prices of a whole request whose input tokens of all kinds together are more than `above`. */
export interface PriceTier extends TokenPrices {
  readonly above: number
}

export interface Prices extends TokenPrices {
  /** From the lowest threshold to the highest. */
  readonly tiers?: readonly PriceTier[]
  /** Who says so: a data set with its version, or the file of an addition. */
  readonly source: string
  /** The day (`2026-11-02`) on which the source said so; an addition need not know it. */
  readonly date?: string
}

/** One model at one provider. The same id at two providers is two models: each has its own price and window. */
export interface Model {
  readonly provider: string
  readonly id: string
  /** For people. */
  readonly name: string
  /** Tokens; absent where nobody says. */
  readonly contextWindow?: number
  /** Tokens; absent where nobody says. */
  readonly maxOutputTokens?: number
  /** Absent: as its provider is usually spoken to. */
  readonly dialect?: Dialect
  /** Whether it can think at a level; absent where nobody says. */
  readonly reasoning?: boolean
  /** Oddities of its server, in the words of the embedded SDK, which alone understands them. */
  readonly compat?: Readonly<Record<string, unknown>>
  /** Absent: the price is not known, which is not the same as free. */
  readonly prices?: Prices
}

export type HarnessName = 'sdk' | 'embedded' | 'acp'

/** A model that a name means, and the harness that runs it. Plain data: it can be written to the journal. */
export interface ResolvedModel extends Model {
  readonly harness: HarnessName
  /** Of the harness `acp`: which agent. */
  readonly agent?: string
  /** The agent has a login of its own: neither a key nor an address is known here. */
  readonly hasOwnLogin?: true
  /** `harness:provider/id`: what is tested once, and what two codons must share to share a session. */
  readonly identity: string
  /** How hard it is to think; absent: as its agent has it by default. */
  readonly thinking?: ThinkingLevel
}

/** Whose models run on the SDK harness, which is made for them. */
export const vendor = 'anthropic'

/** Names that begin like this are for the embedded harness; the rest is `provider/id`, and the id may have slashes. */
export const forced = 'pi/'

/** Names that begin like this are for an agent that speaks ACP; the rest is `agent/model`. */
export const throughAcp = 'acp/'

/** `provider/id`: the one name of a model that is never ambiguous. */
export function fullName({ provider, id }: Pick<Model, 'provider' | 'id'>): string {
  return `${provider}/${id}`
}

export function harnessOf({ provider }: Pick<Model, 'provider'>): HarnessName {
  return provider === vendor ? 'sdk' : 'embedded'
}

/** Models by provider. The same provider and id is always the same object. */
export interface ModelIndex {
  readonly providers: readonly string[]
  find(provider: string, id: string): Model | undefined
  /** All of a provider. */
  of(provider: string): readonly Model[]
}

/** `models` has no two entries of the same provider and id. */
export function indexModels(models: readonly Model[]): ModelIndex {
  const byName = new Map(models.map(model => [fullName(model), model]))
  const byProvider = new Map<string, Model[]>()
  for (const model of models) {
    const others = byProvider.get(model.provider)
    if (others) others.push(model)
    else byProvider.set(model.provider, [model])
  }
  return {
    providers: [...byProvider.keys()],
    find: (provider, id) => byName.get(fullName({ provider, id })),
    of: provider => byProvider.get(provider) ?? [],
  }
}

/** All models of an index, in its order. */
export function allModels({ providers, of }: ModelIndex): readonly Model[] {
  return providers.flatMap(provider => of(provider))
}

type Cost = { readonly known: true; readonly dollars: number } | { readonly known: false }

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
