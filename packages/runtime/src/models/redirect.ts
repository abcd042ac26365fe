import { providerNames, providerOf } from './providers.ts'

export interface Redirection {
  /** Without a version path. */
  readonly url: string
  readonly key: string
}

type Variables = Readonly<Record<string, string>>

/**
 * An environment in which every provider of the catalogue, and the ones named besides, is reached at one address with one
 * key. Nothing that would win over these is left, also under the `WEAVE_` prefix, so no real key is in it any more.
 */
export function redirectProviders(
  environment: Readonly<Record<string, string | undefined>>,
  { url, key }: Redirection,
  others: readonly string[] = [],
): Variables {
  const providers = [...new Set([...providerNames, ...others])].map(providerOf)
  const removed = new Set(
    providers
      .flatMap(({ keys, sentinelKeys, baseUrls }) => [...keys, ...sentinelKeys, ...baseUrls])
      .flatMap(name => [name, `WEAVE_${name}`]),
  )
  const kept = Object.entries(environment).flatMap(([name, value]) =>
    value === undefined || removed.has(name) ? [] : [[name, value] as const],
  )
  const set = providers.flatMap(({ keys, baseUrls, baseUrlHolds, endpoint }) => {
    const address = baseUrlHolds === 'root' ? url : url + (endpoint?.version ?? '/v1')
    return [
      ...keys.slice(0, 1).map(name => [name, key] as const),
      ...baseUrls.slice(0, 1).map(name => [name, address] as const),
    ]
  })
  return Object.fromEntries([...kept, ...set])
}
