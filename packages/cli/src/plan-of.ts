import { buildPlan, type Codon, findModel, type Plan, type PlannedModel, type Prepared } from '@weave/runtime'

/**
 * The plan of the hank as it is now; undefined when there is no hank. In a hank with mistakes a model may be one that nobody
 * knows: it stands in the plan by its name, without a price.
 */
export function planOf({ loaded, settings, registry }: Prepared): Plan | undefined {
  const { hank, source } = loaded
  if (!hank || !source) return undefined
  const modelOf = (codon: Codon): PlannedModel => {
    const name = settings.modelOverride?.value ?? codon.model ?? settings.modelFallback?.value ?? ''
    const model = findModel(name, registry)
    if (!model) return { id: name, provider: '', harness: 'embedded', identity: name, contextWindow: 0 }
    const { id, provider, harness, identity, contextWindow, maxOutputTokens, prices } = model
    return {
      id,
      provider,
      harness,
      identity,
      contextWindow,
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
      ...(prices && { prices }),
    }
  }
  const { ceilings } = settings
  const { shimIdleTimeout } = settings.settings
  const place = { hank, path: source.path, directory: source.directory }
  return buildPlan(place, { modelOf, shimIdleTimeout, ceilings, sentinels: loaded.sentinels })
}
