import { type Environment, isSet } from './credentials.ts'
import { type Provider, providerOf } from './providers.ts'

/** Where a provider is asked. Neither address ends in a slash. */
export type Endpoint =
  | {
      readonly ok: true
      /** Without the version path, as the vendor's own tools want it: `https://api.anthropic.com`. */
      readonly root: string
      /** With it, as most libraries want it: `https://api.openai.com/v1`. */
      readonly api: string
      /** The variable that says so; absent for the provider's usual address. */
      readonly variable?: string
    }
  /** No variable is set and no usual address is known, or what is set is no address. The value is not repeated. */
  | { readonly ok: false; readonly variable: string; readonly message: string }

/**
 * The address of a provider, from its base URL variables or the table. Both spellings of such a variable work, with
 * the version path and without, as long as an address with a path of its own follows the provider's custom: for the
 * vendor the path never includes the version, for all others it does.
 */
export function endpointFor(name: string, environment: Environment): Endpoint {
  const provider = providerOf(name)
  const variable = provider.baseUrls.find(one => isSet(environment[one]))
  if (variable !== undefined) return fromVariable(provider, variable, environment[variable] ?? '')
  const { endpoint, baseUrls } = provider
  if (endpoint) return { ok: true, root: endpoint.root, api: endpoint.root + endpoint.version }
  const wanted = baseUrls[0] ?? ''
  return { ok: false, variable: wanted, message: `The address of ${name} is not known; set ${wanted}.` }
}

function fromVariable(provider: Provider, variable: string, value: string): Endpoint {
  const address = addressOf(value)
  if (address === undefined) {
    return { ok: false, variable, message: `${variable} is not an http or https address.` }
  }
  const version = provider.endpoint?.version ?? '/v1'
  if (address.endsWith(version)) {
    return { ok: true, root: address.slice(0, -version.length), api: address, variable }
  }
  const isWhole = provider.baseUrlHolds === 'api' && new URL(address).pathname !== '/'
  return { ok: true, root: address, api: isWhole ? address : address + version, variable }
}

function addressOf(value: string): string | undefined {
  const text = value.trim()
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isWeb = url !== undefined && ['http:', 'https:'].includes(url.protocol)
  return isWeb ? text.replace(/\/+$/, '') : undefined
}
