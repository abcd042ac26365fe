import type { Problem } from '../kit/index.ts'
import type { AdditionsFile } from './additions-files.ts'
import { type Alias, aliasTargets } from './aliases.ts'
import { fullName, type Model } from './model.ts'
import { rankOf } from './providers.ts'

/** Every model that is known, as it was when the registry was made. */
export interface Registry {
  /** By provider in the order of the table of providers (others last, by name), then as the catalogue lists them. */
  readonly models: readonly Model[]
  readonly aliases: ReadonlyMap<Alias, Model>
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
  const { builtInModels } = await import('./built-in.ts')
  if (additions.length === 0) return { registry: registryOf(builtInModels), problems: [] }
  const { withAdditions } = await import('./additions.ts')
  const { models, problems } = await withAdditions(builtInModels, additions)
  return { registry: registryOf(models), problems }
}

/** `models` has no two entries of the same provider and id. */
export function registryOf(models: readonly Model[]): Registry {
  const sorted = [...models].sort(byProvider)
  const byName = new Map(sorted.map(model => [fullName(model), model]))
  const byId = new Map<string, Model[]>()
  for (const model of sorted) {
    const others = byId.get(model.id)
    if (others) others.push(model)
    else byId.set(model.id, [model])
  }
  return {
    models: sorted,
    aliases: aliasTargets(sorted),
    find: (provider, id) => byName.get(fullName({ provider, id })),
    withId: id => byId.get(id) ?? [],
  }
}

function byProvider(left: Model, right: Model): number {
  const ranks = rankOf(left.provider) - rankOf(right.provider)
  if (ranks !== 0 || left.provider === right.provider) return ranks
  return left.provider < right.provider ? -1 : 1
}
