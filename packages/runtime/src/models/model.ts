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
  /** Tokens. */
  readonly contextWindow: number
  /** Tokens; absent where nobody says. */
  readonly maxOutputTokens?: number
  /** Absent: the price is not known, which is not the same as free. */
  readonly prices?: Prices
}

export type HarnessName = 'sdk' | 'embedded'

/** The vendor of the specification: its models run on the harness made for them. */
export const vendor = 'anthropic'

/** Names that begin like this are for the embedded harness; the rest is `provider/id`, and the id may have slashes. */
export const forced = 'pi/'

/** `provider/id`: the one name of a model that is never ambiguous. */
export function fullName({ provider, id }: Pick<Model, 'provider' | 'id'>): string {
  return `${provider}/${id}`
}

export function harnessOf({ provider }: Pick<Model, 'provider'>): HarnessName {
  return provider === vendor ? 'sdk' : 'embedded'
}
