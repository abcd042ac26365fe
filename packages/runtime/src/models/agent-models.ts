import { nearestNames } from '../kit/index.ts'
import { type AgentDialect, type AgentRow, dialectOf, usualProvider } from './agent-rows.ts'
import { type Model, type ResolvedModel, throughAcp } from './model.ts'
import type { Registry } from './registry.ts'

/** A name that begins with `acp/`, taken apart. */
function partsOf(name: string): { readonly agent: string; readonly model: string } {
  const rest = name.slice(throughAcp.length)
  const slash = rest.indexOf('/')
  return slash === -1
    ? { agent: rest, model: '' }
    : { agent: rest.slice(0, slash), model: rest.slice(slash + 1) }
}

/** Nothing that could mean more than itself where a row puts it: in a command, a variable, a file. */
const plainId = /^[\w.:/@+-]+$/

/**
 * The model after `acp/<agent>/`: one of the catalogue whose provider speaks as the agent does, by any of its names; else the
 * agent's own id for one, of which neither price nor window is known.
 */
export function findAgentModel(name: string, registry: Registry): ResolvedModel | undefined {
  const { agent, model: wanted } = partsOf(name)
  const row = registry.agents.get(agent)
  if (!row || !plainId.test(wanted)) return undefined
  const found = knownModel(wanted, row, registry)
  if (found === 'elsewhere') return undefined
  const model = found ?? ownModel(wanted, { agent, row }, registry)
  return {
    ...model,
    harness: 'acp',
    agent,
    ...(row.dialect === 'none' && { hasOwnLogin: true as const }),
    identity: `acp:${agent}/${model.provider}/${model.id}`,
  }
}

/** `elsewhere`: the catalogue has it, at providers that the agent cannot ask. */
function knownModel(
  wanted: string,
  { dialect }: AgentRow,
  registry: Registry,
): Model | 'elsewhere' | undefined {
  if (dialect === 'none') return undefined
  const targets: ReadonlyMap<string, Model> = registry.aliases
  const alias = targets.get(wanted)
  const slash = wanted.indexOf('/')
  const full = slash === -1 ? undefined : registry.findOrOpen(wanted.slice(0, slash), wanted.slice(slash + 1))
  const all = [alias, full, ...registry.withId(wanted)].filter(model => model !== undefined)
  const [first] = all.filter(model => spokenFor(model, registry) === dialect)
  return first ?? (all.length > 0 ? 'elsewhere' : undefined)
}

/** A file may say of a model, or of its provider, what it is asked in. */
function spokenFor(
  { provider, dialect }: Pick<Model, 'provider' | 'dialect'>,
  { custom }: Registry,
): AgentDialect {
  const said = dialect ?? custom.get(provider)?.dialect
  return said === undefined ? dialectOf(provider) : families[said]
}

const families = {
  'openai-completions': 'openai',
  'openai-responses': 'openai',
  'anthropic-messages': 'anthropic',
  'google-generative-ai': 'google',
} as const

function ownModel(
  wanted: string,
  { agent, row }: { readonly agent: string; readonly row: AgentRow },
  registry: Registry,
): Model {
  const { providers } = registry
  const slash = wanted.indexOf('/')
  const named = slash === -1 ? undefined : providers.find(provider => provider === wanted.slice(0, slash))
  const isNamed = named !== undefined && spokenFor({ provider: named }, registry) === row.dialect
  const id = isNamed ? wanted.slice(slash + 1) : wanted
  const provider = isNamed ? named : usualProvider(row.dialect, agent)
  return { provider, id, name: id }
}

interface Unknown {
  readonly message: string
  readonly suggestions: readonly string[]
}

/** Why a name that begins with `acp/` means nothing, and which ones would mean something. */
export function unknownAgent(name: string, registry: Registry): Unknown {
  const { agent, model } = partsOf(name)
  const known = [...registry.agents.keys()]
  const row = registry.agents.get(agent)
  if (!row) {
    const near = nearestNames(agent, known)
    const hint = near.length > 0 ? ` Did you mean ${near.join(', ')}?` : ''
    const message = `There is no agent ${JSON.stringify(agent)}.${hint} There are ${known.join(', ')}; "weave harness add" installs them, and weave.json can name others under "agents".`
    return { message, suggestions: near.map(each => `${throughAcp}${each}/${model}`) }
  }
  if (model === '')
    return {
      message: `A model is missing after ${throughAcp}${agent}/, such as ${example(agent, row, registry)}.`,
      suggestions: [example(agent, row, registry)],
    }
  if (!plainId.test(model))
    return {
      message: `${JSON.stringify(model)} is no id of a model: letters, digits and . : / @ + - _ may stand in one.`,
      suggestions: [],
    }
  const message = `The agent ${agent} asks its provider as ${titles[row.dialect]} is asked, and nobody who has the model ${JSON.stringify(model)} answers to that. Try ${example(agent, row, registry)}.`
  return { message, suggestions: [example(agent, row, registry)] }
}

const titles = { anthropic: 'Anthropic', openai: 'OpenAI', google: 'Google', none: 'nobody else' } as const

/** The first model of the catalogue that the agent can ask for. */
function example(agent: string, { dialect }: AgentRow, registry: Registry): string {
  const provider = usualProvider(dialect, agent)
  const alias = provider === 'anthropic' ? [...registry.aliases.keys()][0] : undefined
  const id = alias ?? registry.models.find(model => model.provider === provider)?.id ?? 'model'
  return `${throughAcp}${agent}/${id}`
}
