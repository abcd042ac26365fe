import type { Addition, AdditionPrices } from './additions-schema.ts'
import type { CustomProvider } from './custom-provider.ts'
import type { Model, Prices, TokenPrices } from './model.ts'

interface Around {
  /** What is known of the model without this entry. */
  readonly known: Model | undefined
  readonly provider: CustomProvider | undefined
  readonly file: string
}

/** A model with what an entry says of it, and for the rest as it was known. */
export function addedModel(given: Addition, { known, provider, file }: Around): Model {
  const { id } = given
  const contextWindow = given.contextWindow ?? known?.contextWindow
  const maxOutputTokens = given.maxOutputTokens ?? known?.maxOutputTokens
  const dialect = provider?.dialect ?? known?.dialect
  const reasoning = given.reasoning ?? known?.reasoning
  const prices = given.prices ? pricesOf(given.prices, file) : known?.prices
  return {
    provider: given.provider,
    id,
    name: given.name ?? known?.name ?? id,
    ...(contextWindow !== undefined && { contextWindow }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(dialect !== undefined && { dialect }),
    ...(reasoning !== undefined && { reasoning }),
    ...(known?.compat && { compat: known.compat }),
    ...(prices && { prices }),
  }
}

function pricesOf({ tiers, source, date, ...base }: AdditionPrices, file: string): Prices {
  const higher = tiers
    ?.map(({ above, ...prices }) => ({ above, ...complete(prices) }))
    .sort((left, right) => left.above - right.above)
  return {
    ...complete(base),
    ...(higher && { tiers: higher }),
    source: source ?? file,
    ...(date !== undefined && { date }),
  }
}

function complete({
  input,
  output,
  cacheRead = input,
  cacheWrite = input,
}: Omit<AdditionPrices, 'tiers' | 'source' | 'date'>): TokenPrices {
  return { input, output, cacheRead, cacheWrite }
}
