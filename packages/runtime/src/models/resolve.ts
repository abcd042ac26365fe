import { findAgentModel, unknownAgent } from './agent-models.ts'
import { lettersOf } from './letters.ts'
import { forced, fullName, harnessOf, type Model, type ResolvedModel, throughAcp } from './model.ts'
import type { Registry } from './registry.ts'
import { splitThinking, type ThinkingLevel } from './thinking.ts'

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
 * What a model name means: `acp/agent/model`; an alias; `pi/provider/id`; `provider/id`; a bare id, in this order. Of several providers with the
 * same bare id the first in the table of providers is meant, so the vendor who makes a model wins over those who resell it, and
 * `openai/gpt-5` is OpenAI's although OpenRouter has an id of that spelling. The vendor's models run on the SDK harness, all
 * others on the embedded one, and so does everything after `pi/`.
 *
 * A name that is not known as it stands may have a level of thinking behind it (`sonnet-high`), and then capitals, dots, dashes
 * and blanks may differ (`Claude Sonnet 4.5`): every letter and digit must still be there, in order.
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
  const found = remembered.get(registry) ?? new Map<string, ResolvedModel | undefined>()
  remembered.set(registry, found)
  if (!found.has(name))
    found.set(name, name.startsWith(throughAcp) ? findAgentModel(name, registry) : find(name, registry))
  return found.get(name)
}

/** A hank may name the same model ten thousand times. */
const remembered = new WeakMap<Registry, Map<string, ResolvedModel | undefined>>()

function find(written: string, registry: Registry): ResolvedModel | undefined {
  const isForced = written.startsWith(forced)
  const name = isForced ? written.slice(forced.length) : written
  const leveled = splitThinking(name)
  // A server that lists nothing has every id, so it comes after whatever else the name may mean.
  const ways: readonly Way[] = [
    text => known(text, registry, isForced),
    text => byLetters(text, registry, isForced),
  ]
  const open: Way = text => byFullName(text, registry.findOrOpen)
  const atLevel = (way: Way) => leveled && withModel(way(leveled.name), leveled.thinking)
  for (const way of ways) {
    const hit = withModel(way(name)) ?? atLevel(way)
    if (hit) return resolved(hit, isForced)
  }
  const hit = atLevel(open) ?? withModel(open(name))
  return hit && resolved(hit, isForced)
}

type Way = (name: string) => Model | undefined

interface Hit {
  readonly model: Model
  readonly thinking?: ThinkingLevel | undefined
}

function withModel(model: Model | undefined, thinking?: ThinkingLevel): Hit | undefined {
  return model && { model, thinking }
}

function resolved({ model, thinking }: Hit, isForced: boolean): ResolvedModel {
  const harness = isForced ? 'embedded' : harnessOf(model)
  const identity = `${harness}:${fullName(model)}`
  return { ...model, harness, identity, ...(thinking !== undefined && { thinking }) }
}

/** Exact spellings. After `pi/` only a full name is one, since the id may have slashes. */
function known(name: string, registry: Registry, isForced: boolean): Model | undefined {
  if (isForced) return byFullName(name, registry.find)
  return byAlias(name, registry) ?? byFullName(name, registry.find) ?? registry.withId(name)[0]
}

function byAlias(name: string, registry: Registry): Model | undefined {
  const targets: ReadonlyMap<string, Model> = registry.aliases
  return targets.get(name)
}

function byFullName(name: string, find: Registry['find']): Model | undefined {
  const slash = name.indexOf('/')
  return slash === -1 ? undefined : find(name.slice(0, slash), name.slice(slash + 1))
}

/** Fewer letters are a name of nothing. */
const fewestLetters = 4

/** People leave off what the vendor calls all of its models. */
const vendorWord = 'claude'

function byLetters(name: string, registry: Registry, isForced: boolean): Model | undefined {
  const wanted = lettersOf(name)
  if (wanted.length < fewestLetters) return undefined
  const isFull = isForced || name.includes('/')
  const lower = name.toLowerCase()
  return (
    (isFull ? undefined : byAlias(lower, registry)) ??
    registry.models.find(model => {
      const letters = lettersOf(isFull ? fullName(model) : model.id)
      return letters === wanted || (!isFull && letters === vendorWord + wanted)
    })
  )
}

function unknownMessage(name: string, names: readonly string[], alike: boolean): string {
  const shown = JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}…` : name)
  const hint = alike ? `Did you mean ${names.join(', ')}?` : `Try ${names.join(', ')}.`
  return `Unknown model ${shown}. ${names.length > 0 ? `${hint} ` : ''}Run "weave models" for the list.`
}
