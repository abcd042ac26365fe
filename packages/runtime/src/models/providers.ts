/** How a provider is reached. */
export interface Provider {
  /** Environment variables that may hold its key; the first that is set wins. */
  readonly keys: readonly string[]
  /** The same for calls of sentinels, which look here before `keys`. */
  readonly sentinelKeys: readonly string[]
  /** Environment variables that may hold another address; the first that is set wins. */
  readonly baseUrls: readonly string[]
  /** Where it answers when no variable says otherwise; absent for a provider that only an addition names. */
  readonly endpoint?: { readonly root: string; readonly version: string }
  /**
   * What people write into a base URL variable. `root`: the address without the version path, as the vendor's own
   * tools want it. `api`: with it, as everybody else does.
   */
  readonly baseUrlHolds: 'root' | 'api'
}

/**
 * The providers of the catalogue: those the embedded SDK knows, that are reached with one key. Left out are those that
 * need more than a key (Bedrock, Vertex, Azure, Cloudflare, a login) and plans without a price per token.
 *
 * The order decides whose model a bare id means when several have it: those who make models first (they serve only
 * their own, so an id's own vendor always wins), then those who host, then gateways, then mirrors.
 */
const table: Readonly<Record<string, Provider>> = {
  anthropic: {
    keys: ['ANTHROPIC_API_KEY', 'VENDOR_API_KEY'],
    sentinelKeys: ['WEAVE_SENTINEL_ANTHROPIC_API_KEY', 'WEAVE_SENTINEL_VENDOR_API_KEY'],
    baseUrls: ['ANTHROPIC_BASE_URL', 'VENDOR_BASE_URL'],
    endpoint: { root: 'https://api.anthropic.com', version: '/v1' },
    baseUrlHolds: 'root',
  },
  openai: withKey('OPENAI', 'https://api.openai.com', '/v1'),
  google: {
    ...withKey('GOOGLE', 'https://generativelanguage.googleapis.com', '/v1beta'),
    keys: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
    sentinelKeys: ['WEAVE_SENTINEL_GOOGLE_API_KEY', 'WEAVE_SENTINEL_GEMINI_API_KEY'],
  },
  xai: withKey('XAI', 'https://api.x.ai', '/v1'),
  deepseek: withKey('DEEPSEEK', 'https://api.deepseek.com', '/v1'),
  mistral: withKey('MISTRAL', 'https://api.mistral.ai', '/v1'),
  moonshotai: withKey('MOONSHOT', 'https://api.moonshot.ai', '/v1'),
  minimax: withKey('MINIMAX', 'https://api.minimax.io/anthropic', '/v1'),
  xiaomi: withKey('XIAOMI', 'https://api.xiaomimimo.com/anthropic', '/v1'),
  zai: withKey('ZAI', 'https://api.z.ai/api/coding/paas', '/v4'),
  'kimi-coding': withKey('KIMI', 'https://api.kimi.com/coding', '/v1'),

  groq: withKey('GROQ', 'https://api.groq.com/openai', '/v1'),
  cerebras: withKey('CEREBRAS', 'https://api.cerebras.ai', '/v1'),
  fireworks: withKey('FIREWORKS', 'https://api.fireworks.ai/inference', '/v1'),
  together: withKey('TOGETHER', 'https://api.together.ai', '/v1'),
  huggingface: {
    ...withKey('HUGGINGFACE', 'https://router.huggingface.co', '/v1'),
    keys: ['HF_TOKEN'],
  },

  openrouter: withKey('OPENROUTER', 'https://openrouter.ai', '/api/v1'),
  'vercel-ai-gateway': withKey('AI_GATEWAY', 'https://ai-gateway.vercel.sh', '/v1'),
  opencode: withKey('OPENCODE', 'https://opencode.ai/zen', '/v1'),
  'opencode-go': withKey('OPENCODE', 'https://opencode.ai/zen/go', '/v1'),

  'minimax-cn': withKey('MINIMAX_CN', 'https://api.minimaxi.com/anthropic', '/v1'),
  'moonshotai-cn': withKey('MOONSHOT', 'https://api.moonshot.cn', '/v1'),
}

const rows = new Map(Object.entries(table))
const ranks = new Map([...rows.keys()].map((name, index) => [name, index]))

/** Names of the providers of the catalogue, in the order described above. */
export const providerNames: readonly string[] = [...rows.keys()]

export function isKnownProvider(name: string): boolean {
  return rows.has(name)
}

/** A provider that only an addition names has the variables its name suggests: `my-host` has `MY_HOST_API_KEY`. */
export function providerOf(name: string): Provider {
  return rows.get(name) ?? namedLike(name.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_'))
}

/** Smaller is preferred. Providers that are not in the table share the last place. */
export function rankOf(provider: string): number {
  return ranks.get(provider) ?? ranks.size
}

function withKey(prefix: string, root: string, version: string): Provider {
  return { ...namedLike(prefix), endpoint: { root, version } }
}

function namedLike(prefix: string): Provider {
  return {
    keys: [`${prefix}_API_KEY`],
    sentinelKeys: [`WEAVE_SENTINEL_${prefix}_API_KEY`],
    baseUrls: [`${prefix}_BASE_URL`],
    baseUrlHolds: 'api',
  }
}

export type Environment = Readonly<Record<string, string | undefined>>

/** Who makes the call: an agent that works on a codon, or a sentinel that watches one. */
type CredentialUse = 'codon' | 'sentinel'

export type Credential =
  | {
      readonly ok: true
      readonly variable: string
      /** A secret: hand it to the one who makes the call and to nobody else. */
      readonly value: string
    }
  /** The variables that would have been looked at, the preferred one first. */
  | { readonly ok: false; readonly missing: readonly string[] }

/** The key for a provider. A variable that is set to nothing but blanks counts as not set. */
export function credentialFor(provider: string, use: CredentialUse, environment: Environment): Credential {
  const variables = credentialVariables(provider, use)
  const variable = variables.find(name => isSet(environment[name]))
  const value = variable === undefined ? undefined : environment[variable]
  if (variable === undefined || value === undefined) return { ok: false, missing: variables }
  return { ok: true, variable, value }
}

/** Where `credentialFor` looks, in its order. */
export function credentialVariables(provider: string, use: CredentialUse): readonly string[] {
  const { keys, sentinelKeys } = providerOf(provider)
  return use === 'codon' ? keys : [...sentinelKeys, ...keys]
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value.trim() !== ''
}

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
  /^(?:ANTHROPIC_.*|CLAUDE_.*|(?:AZURE_)?OPENAI_.*|CODEX_.*|OPENCODE_.*|GEMINI_.*|GOOGLE_(?:GEMINI|VERTEX)_BASE_URL|GOOGLE_GENAI_.*|GOOGLE_CLOUD_API_KEY|AWS_BEARER_TOKEN_BEDROCK|COPILOT_GITHUB_TOKEN|CLOUDFLARE_API_KEY)$/
