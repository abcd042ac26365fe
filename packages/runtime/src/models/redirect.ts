import { providerNames, providerOf } from './providers.ts'

export interface Redirection {
  /** Without a version path. */
  readonly url: string
  readonly key: string
}

type Variables = Readonly<Record<string, string>>

/**
 * An environment in which every provider of the catalogue, and the ones named besides, is reached at one address with one
 * key. No variable is left, also under the `WEAVE_` prefix, that holds another key or address of a provider.
 */
export function redirectProviders(
  environment: Readonly<Record<string, string | undefined>>,
  { url, key }: Redirection,
  others: readonly string[] = [],
): Variables {
  const providers = [...new Set([...providerNames, ...others])].map(providerOf)
  const known = new Set(
    providers.flatMap(({ keys, sentinelKeys, baseUrls }) => [...keys, ...sentinelKeys, ...baseUrls]),
  )
  const leadsOutside = (name: string) => known.has(name) || ofTheSdks.test(name)
  const kept = Object.entries(environment).flatMap(([name, value]) =>
    value === undefined || leadsOutside(name) || leadsOutside(name.replace(/^WEAVE_/, ''))
      ? []
      : [[name, value] as const],
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

/**
 * What the agent SDKs and their clients read by themselves, past the table of providers: other ways to sign in, headers
 * that hold a key, sockets, gateways. The vendor's program alone has dozens, so whole families are meant.
 */
const ofTheSdks =
  /^(?:ANTHROPIC_.*|CLAUDE_.*|(?:AZURE_)?OPENAI_.*|GOOGLE_(?:GEMINI|VERTEX)_BASE_URL|GOOGLE_GENAI_.*|GOOGLE_CLOUD_API_KEY|AWS_BEARER_TOKEN_BEDROCK|COPILOT_GITHUB_TOKEN|CLOUDFLARE_API_KEY)$/
