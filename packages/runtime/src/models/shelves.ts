import { fullName, type Model } from './model.ts'

/** Models by provider. The same provider and id is always the same object. */
export interface Shelves {
  readonly providers: readonly string[]
  find(provider: string, id: string): Model | undefined
  /** All of a provider. */
  of(provider: string): readonly Model[]
}

/** `models` has no two entries of the same provider and id. */
export function shelvesOf(models: readonly Model[]): Shelves {
  const byName = new Map(models.map(model => [fullName(model), model]))
  const byProvider = new Map<string, Model[]>()
  for (const model of models) {
    const others = byProvider.get(model.provider)
    if (others) others.push(model)
    else byProvider.set(model.provider, [model])
  }
  return {
    providers: [...byProvider.keys()],
    find: (provider, id) => byName.get(fullName({ provider, id })),
    of: provider => byProvider.get(provider) ?? [],
  }
}

/** All that is on the shelves, in their order. */
export function allOf({ providers, of }: Shelves): readonly Model[] {
  return providers.flatMap(provider => of(provider))
}
