import { type Environment, endpointFor, providerOf } from './providers.ts'

/**
 * The environment in which a provider is asked elsewhere: at what `elsewhere` makes of its address. One whose address is not
 * known is left as it is.
 */
export function rerouted<E extends Environment>(
  environment: E,
  provider: string,
  elsewhere: (address: string) => string,
): E {
  const endpoint = endpointFor(provider, environment)
  if (!endpoint.ok) return environment
  const { baseUrls, baseUrlHolds } = providerOf(provider)
  const address = elsewhere(baseUrlHolds === 'root' ? endpoint.root : endpoint.api)
  return { ...environment, ...Object.fromEntries(baseUrls.map(name => [name, address])) }
}
