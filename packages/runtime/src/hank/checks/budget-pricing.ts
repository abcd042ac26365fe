import type { Problem } from '../../kit/index.ts'
import type { CheckContext } from '../check.ts'
import { codonLabel, codonsOf, effectiveModel, type PlacedCodon } from '../codons.ts'
import type { HankFile } from '../schema.ts'
import type { Scopes } from './budget-scopes.ts'
import { andMore, quoted } from './labels.ts'

interface Unpriced {
  readonly first: PlacedCodon
  more: number
}

/** Models under a dollar limit whose price is unknown; one warning per model, at the first codon that uses it. */
export function checkPricing(hank: HankFile, context: CheckContext, scopes: Scopes): readonly Problem[] {
  const unpriced = new Map<string, Unpriced>()
  const priced = new Set<string>()
  for (const placed of codonsOf(hank)) {
    const model = effectiveModel(placed.codon, hank, context.modelOverride)
    if (model === undefined || priced.has(model) || !hasDollarLimit(placed, scopes)) continue
    const known = unpriced.get(model)
    if (known) known.more++
    else if (context.priceOf(model) === undefined) unpriced.set(model, { first: placed, more: 0 })
    else priced.add(model)
  }
  return [...unpriced].map(([model, { first, more }]) => ({
    severity: 'warning',
    where: first.codon.model === model ? `${first.where}.model` : first.where,
    message: `${codonLabel(first)}${andMore(more)}: there is no price for the model ${quoted(model)}, so its cost is unknown and its dollar limit cannot stop it. Add the price to the model catalogue, or limit time or tokens.`,
  }))
}

function hasDollarLimit(placed: PlacedCodon, scopes: Scopes): boolean {
  return placed.codon.budget?.maxDollars !== undefined || scopes.of(placed).pool !== undefined
}
