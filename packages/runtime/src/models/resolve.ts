import { findAgentModel, unknownAgent } from './agent-models.ts'
import { forced, type HarnessName, harnessOf, type Model, type ResolvedModel, throughAcp } from './model.ts'
import type { Registry } from './registry.ts'

export type ModelResolution =
  | { readonly ok: true; readonly model: ResolvedModel }
  | {
      readonly ok: false
      /** One line, for people. */
      readonly message: string
      /** At most three names that would be understood, the likeliest first. */
      readonly suggestions: readonly string[]
    }

/**
 * What a model name means: `acp/agent/model`; an alias; `pi/provider/id`; `provider/id`; a bare id, in this order. Only exact spellings
 * count. Of several providers with the same bare id the first in the table of providers is meant, so the vendor who
 * makes a model wins over those who resell it, and `openai/gpt-5` is OpenAI's although OpenRouter has an id of that
 * spelling. The vendor's models run on the SDK harness, all others on the embedded one, and so does everything after
 * `pi/`.
 */
export async function resolveModel(name: string, registry: Registry): Promise<ModelResolution> {
  const model = findModel(name, registry)
  if (model) return { ok: true, model }
  if (name.startsWith(throughAcp)) return { ok: false, ...unknownAgent(name, registry) }
  const { suggestModels } = await import('./suggest.ts')
  const { names, alike } = suggestModels(name, registry)
  return { ok: false, message: unknownMessage(name, names, alike), suggestions: names }
}

/** The same without words for a person, and at once. */
export function findModel(name: string, registry: Registry): ResolvedModel | undefined {
  if (name.startsWith(throughAcp)) return findAgentModel(name, registry)
  if (name.startsWith(forced)) {
    const model = byFullName(name.slice(forced.length), registry)
    return model && resolved(model, 'embedded')
  }
  const model = byAlias(name, registry) ?? byFullName(name, registry) ?? registry.withId(name)[0]
  return model && resolved(model, harnessOf(model))
}

function byAlias(name: string, registry: Registry): Model | undefined {
  const targets: ReadonlyMap<string, Model> = registry.aliases
  return targets.get(name)
}

function byFullName(name: string, registry: Registry): Model | undefined {
  const slash = name.indexOf('/')
  return slash === -1 ? undefined : registry.find(name.slice(0, slash), name.slice(slash + 1))
}

function resolved(model: Model, harness: HarnessName): ResolvedModel {
  return { ...model, harness, identity: `${harness}:${model.provider}/${model.id}` }
}

function unknownMessage(name: string, names: readonly string[], alike: boolean): string {
  const shown = JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}…` : name)
  const hint = alike ? `Did you mean ${names.join(', ')}?` : `Try ${names.join(', ')}.`
  return `Unknown model ${shown}. ${names.length > 0 ? `${hint} ` : ''}Run "weave models" for the list.`
}
