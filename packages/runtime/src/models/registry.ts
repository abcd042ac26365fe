import type { Problem } from '../kit/index.ts'
import { readAdditions } from './additions.ts'
import type { AdditionsFile } from './additions-files.ts'
import { type Alias, aliasTargets } from './aliases.ts'
import { fullName, type Model, vendor } from './model.ts'
import { rankOf } from './providers.ts'
import { allOf, type Shelves, shelvesOf } from './shelves.ts'

/** Every model that is known, as it was when the registry was made. Puts together only what is asked for. */
export interface Registry {
  /** By provider in the order of the table of providers (others last, by name), then as the catalogue lists them. */
  readonly models: readonly Model[]
  readonly aliases: ReadonlyMap<Alias, Model>
  /** Who has a model here, in the same order. */
  readonly providers: readonly string[]
  /** Exact: neither part is matched by likeness. */
  find(provider: string, id: string): Model | undefined
  /** Every provider's model with exactly this id, the preferred provider first. */
  withId(id: string): readonly Model[]
}

export interface RegistryResult {
  readonly registry: Registry
  /** What is wrong with the additions. The registry has whatever was right about them. */
  readonly problems: readonly Problem[]
}

/**
 * The catalogue with the additions in the given order: a later file wins over an earlier one, and both over the
 * catalogue. Never rejects because of an addition.
 */
export async function createRegistry({
  additions = [],
}: {
  readonly additions?: readonly AdditionsFile[]
} = {}): Promise<RegistryResult> {
  const { builtIn } = await import('./built-in.ts')
  const { added, problems } = await readAdditions(additions, builtIn)
  if (added.length === 0) return { registry: registryOn(builtIn), problems }
  const merged = new Map([...allOf(builtIn), ...added].map(model => [fullName(model), model]))
  return { registry: registryOf([...merged.values()]), problems }
}

/** `models` has no two entries of the same provider and id. */
export function registryOf(models: readonly Model[]): Registry {
  return registryOn(shelvesOf(models))
}

function registryOn(shelves: Shelves): Registry {
  const providers = [...shelves.providers].sort(byPreference)
  let models: readonly Model[] | undefined
  let aliases: ReadonlyMap<Alias, Model> | undefined
  // A hank may name the same model ten thousand times.
  const byId = new Map<string, readonly Model[]>()
  return {
    providers,
    get models() {
      models ??= allOf({ ...shelves, providers })
      return models
    },
    get aliases() {
      aliases ??= aliasTargets(shelves.of(vendor))
      return aliases
    },
    find: shelves.find,
    withId(id) {
      const known = byId.get(id) ?? providers.flatMap(provider => shelves.find(provider, id) ?? [])
      byId.set(id, known)
      return known
    },
  }
}

function byPreference(left: string, right: string): number {
  return rankOf(left) - rankOf(right) || (left < right ? -1 : 1)
}
