import type { ProblemCode } from '@weave/protocol'
import type { Problem } from '../kit/index.ts'
import { type AdditionsFile, readAdditions } from './additions.ts'
import { type AgentRow, type AgentRows, agentsWith } from './agent-rows.ts'
import { type CustomProvider, localProviders, loginProviders, reaching } from './custom-provider.ts'
import {
  allModels,
  fullName,
  type HarnessName,
  harnessOf,
  indexModels,
  type Model,
  type ModelIndex,
  type Prices,
  vendor,
} from './model.ts'
import { credentialFor, type Environment, rankOf } from './providers.ts'

/** Every model that is known, as it was when the registry was made. Puts together only what is asked for. */
export interface Registry {
  /** By provider in the order of the table of providers (others last, by name), then as the catalogue lists them. */
  readonly models: readonly Model[]
  readonly aliases: ReadonlyMap<Alias, Model>
  /** Who has a model here, in the same order. */
  readonly providers: readonly string[]
  /** Who speaks ACP, by the name that stands after `acp/`. */
  readonly agents: ReadonlyMap<string, AgentRow>
  /** Exact: neither part is matched by likeness. */
  find(provider: string, id: string): Model | undefined
  /** The same, and whatever a server that lists nothing is asked for. */
  findOrOpen(provider: string, id: string): Model | undefined
  /** By name: those that files describe, and those on this machine. */
  readonly custom: ReadonlyMap<string, CustomProvider>
  /** Every provider's model with exactly this id, the preferred provider first. */
  withId(id: string): readonly Model[]
}

export interface RegistryOptions {
  readonly additions?: readonly AdditionsFile[]
  /** Agents of the person, beside the built-in ones. */
  readonly agents?: AgentRows | undefined
}

export interface RegistryResult {
  readonly registry: Registry
  /** What is wrong with the additions. The registry has whatever was right about them. */
  readonly problems: readonly Problem<ProblemCode>[]
}

/**
 * The catalogue with the additions in the given order: a later file wins over an earlier one, and both over the
 * catalogue. Never rejects because of an addition.
 */
export async function createRegistry(options: RegistryOptions = {}): Promise<RegistryResult> {
  const { additions = [], agents } = options
  const { builtIn } = await import('./built-in.ts')
  const { added, providers, problems } = await readAdditions(additions, builtIn)
  const custom = new Map([...localProviders, ...loginProviders, ...providers].map(each => [each.name, each]))
  if (added.length === 0) return { registry: registryOn(builtIn, { custom, agents }), problems }
  const merged = new Map([...allModels(builtIn), ...added].map(model => [fullName(model), model]))
  return { registry: registryOn(indexModels([...merged.values()]), { custom, agents }), problems }
}

/** `models` has no two entries of the same provider and id. */
export function registryOf(models: readonly Model[]): Registry {
  return registryOn(indexModels(models), { custom: new Map() })
}

interface Beside extends Pick<Registry, 'custom'> {
  readonly agents?: AgentRows | undefined
}

function registryOn(index: ModelIndex, { custom, agents }: Beside): Registry {
  const providers = [...new Set([...index.providers, ...custom.keys()])].sort(byPreference)
  let models: readonly Model[] | undefined
  let aliases: ReadonlyMap<Alias, Model> | undefined
  // A hank may name the same model ten thousand times.
  const byId = new Map<string, readonly Model[]>()
  return {
    providers,
    agents: agentsWith(agents),
    get models() {
      models ??= allModels({ ...index, providers })
      return models
    },
    get aliases() {
      aliases ??= aliasTargets(index.of(vendor))
      return aliases
    },
    find: index.find,
    findOrOpen: (provider, id) => index.find(provider, id) ?? openModel(custom.get(provider), id),
    custom,
    withId(id) {
      const known = byId.get(id) ?? providers.flatMap(provider => index.find(provider, id) ?? [])
      byId.set(id, known)
      return known
    },
  }
}

/** `environment`, with what files say of how this provider is reached, or all of those that they describe. */
export function reachingOwn<E extends Environment>(
  environment: E,
  { custom }: Pick<Registry, 'custom'>,
  provider?: string,
): E {
  const wanted = [...custom.values()].filter(({ name }) => provider === undefined || name === provider)
  return reaching(environment, wanted)
}

function openModel(provider: CustomProvider | undefined, id: string): Model | undefined {
  if (!provider?.isOpen || !/^\S+$/.test(id)) return undefined
  const { name, dialect } = provider
  return { provider: name, id, name: id, ...(dialect && { dialect }) }
}

function byPreference(left: string, right: string): number {
  return rankOf(left) - rankOf(right) || (left < right ? -1 : 1)
}

/** The short names of the vendor's families. */
export const aliases = ['haiku', 'sonnet', 'opus'] as const
export type Alias = (typeof aliases)[number]

/**
 * What each alias means: the newest model of its family among `models`, additions included. Newer is the higher
 * version in the vendor's ids (`claude-opus-5-5` over `claude-opus-5`); of one version, the id without a date. An id
 * that does not follow the pattern, such as a preview, is never what an alias means. A family without a model has no
 * entry.
 */
export function aliasTargets(models: readonly Model[]): ReadonlyMap<Alias, Model> {
  const targets = new Map<Alias, Release>()
  for (const model of models) {
    const release = releaseOf(model)
    if (!release) continue
    const best = targets.get(release.family)
    if (!best || isNewer(release, best)) targets.set(release.family, release)
  }
  return new Map(
    aliases.flatMap(family => {
      const release = targets.get(family)
      return release ? [[family, release.model] as const] : []
    }),
  )
}

interface Release {
  readonly family: Alias
  readonly major: number
  readonly minor: number
  readonly isDated: boolean
  readonly model: Model
}

const patterns = [
  /^claude-(?<family>haiku|sonnet|opus)-(?<major>\d{1,2})(?:-(?<minor>\d{1,2}))?(?<date>-\d{8})?$/,
  /^claude-(?<major>\d{1,2})(?:-(?<minor>\d{1,2}))?-(?<family>haiku|sonnet|opus)(?<date>-\d{8}|-latest)?$/,
]

function releaseOf(model: Model): Release | undefined {
  if (model.provider !== vendor) return undefined
  const parts = patterns.map(pattern => pattern.exec(model.id)?.groups).find(groups => groups !== undefined)
  const family = aliases.find(alias => alias === parts?.['family'])
  if (!parts || !family) return undefined
  return {
    family,
    major: Number(parts['major']),
    minor: Number(parts['minor'] ?? 0),
    isDated: parts['date'] !== undefined,
    model,
  }
}

function isNewer(left: Release, right: Release): boolean {
  if (left.major !== right.major) return left.major > right.major
  if (left.minor !== right.minor) return left.minor > right.minor
  return !left.isDated && right.isDated
}

/** One line of `weave models`. Plain data without secrets: `--json` prints it as it is. */
export interface ModelRow {
  readonly provider: string
  readonly id: string
  readonly name: string
  /** Short names that mean this model now. */
  readonly aliases: readonly Alias[]
  readonly harness: HarnessName
  /** Absent: not known. */
  readonly contextWindow?: number
  readonly maxOutputTokens?: number
  /** Absent: not known. */
  readonly prices?: Prices
  /** Whether a key for codons is in the environment. Nobody was asked whether it is good. */
  readonly hasCredential: boolean
}

interface ListOptions {
  readonly environment: Environment
  /** Only rows whose `provider/id`, name or alias contains it, in any case. */
  readonly filter?: string | undefined
}

/** In the order of the registry: preferred providers first. */
export function listModels(
  registry: Registry,
  { environment, filter = '' }: ListOptions,
): readonly ModelRow[] {
  const ready = new Map<string, boolean>()
  const variables = reaching(environment, registry.custom.values())
  for (const { provider } of registry.models) {
    if (!ready.has(provider)) ready.set(provider, credentialFor(provider, 'codon', variables).ok)
  }
  return registry.models
    .map((model): ModelRow => {
      const hasCredential = ready.get(model.provider) ?? false
      return { ...model, aliases: aliasesOf(model, registry), harness: harnessOf(model), hasCredential }
    })
    .filter(row => matches(row, filter.toLowerCase()))
}

function aliasesOf(model: Model, { aliases }: Registry): readonly Alias[] {
  return [...aliases].filter(([, target]) => target === model).map(([alias]) => alias)
}

function matches(row: ModelRow, filter: string): boolean {
  return [fullName(row), row.name, ...row.aliases].some(text => text.toLowerCase().includes(filter))
}
