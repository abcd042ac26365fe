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
