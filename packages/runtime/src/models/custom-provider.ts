import { providerOf } from './providers.ts'

/** How a provider is spoken to; the words of the embedded SDK and its models file. */
export const dialects = [
  'openai-completions',
  'openai-responses',
  'anthropic-messages',
  'google-generative-ai',
] as const
export type Dialect = (typeof dialects)[number]

/** A provider that a file describes, or one that is known to be on this machine. */
export interface CustomProvider {
  readonly name: string
  /** Absent: that of the table or of its variable. */
  readonly baseUrl?: string | undefined
  readonly dialect?: Dialect | undefined
  /** `none`: it is asked without one. Absent: its usual variable holds it. */
  readonly key?: 'none' | { readonly variable: string } | { readonly value: string } | undefined
  /** Any id is one of its models: only the server knows what it has. */
  readonly isOpen: boolean
  /** The file that says so; absent: nobody had to. */
  readonly source?: string
}

type Environment = Readonly<Record<string, string | undefined>>

/** Told to a server that wants no key, by clients that cannot go without one. */
const noKey = 'none'

/**
 * The environment in which these providers are reached as their files say, through the same variables by which every provider
 * is reached: so whatever replaces those variables, as a rehearsal does, replaces these too. A variable that is set wins.
 */
export function reaching<E extends Environment>(environment: E, providers: Iterable<CustomProvider>): E {
  const more: Record<string, string> = {}
  for (const provider of providers) {
    const { keys, baseUrls } = providerOf(provider.name)
    const [key, baseUrl] = [keys[0], baseUrls[0]]
    const isSet = (names: readonly string[]) => names.some(name => (environment[name] ?? '').trim() !== '')
    const value = keyOf(provider, environment)
    if (baseUrl !== undefined && provider.baseUrl !== undefined && !isSet(baseUrls))
      more[baseUrl] = provider.baseUrl
    if (key !== undefined && value !== undefined && !isSet(keys)) more[key] = value
  }
  return { ...environment, ...more }
}

/** The files that say what is in the variables that `reaching` sets. */
export function originsOf(
  providers: Iterable<CustomProvider>,
  environment: Environment,
): ReadonlyMap<string, string> {
  const before = new Set(Object.keys(environment))
  const origins = [...providers].flatMap(({ name, baseUrl, source }) => {
    const variable = providerOf(name).baseUrls[0]
    const isGiven = variable !== undefined && baseUrl !== undefined && !before.has(variable)
    return isGiven && source !== undefined ? [[variable, source] as const] : []
  })
  return new Map(origins)
}

function keyOf({ key, baseUrl }: CustomProvider, environment: Environment): string | undefined {
  if (key === undefined) return baseUrl !== undefined && isLocal(baseUrl) ? noKey : undefined
  if (key === 'none') return noKey
  return 'variable' in key ? environment[key.variable] : key.value
}

/** Whether an address is on this machine. */
export function isLocal(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { hostname } = new URL(address)
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}

/** Where the usual servers for models on one's own machine listen. */
export const localProviders: readonly CustomProvider[] = [
  local('ollama', 11_434),
  local('llama.cpp', 8_080),
  local('lmstudio', 1_234),
  local('vllm', 8_000),
]

/** Plans that the Pi agent signs in with; what they have, its catalogue knows. */
export const loginProviders: readonly CustomProvider[] = ['github-copilot', 'openai-codex'].map(name => ({
  name,
  isOpen: true,
}))

function local(name: string, port: number): CustomProvider {
  const baseUrl = `http://127.0.0.1:${port}/v1`
  return { name, baseUrl, key: 'none', isOpen: true }
}
