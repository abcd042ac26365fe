import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fieldsOf, textOf } from '../kit/index.ts'
import type { HarnessName } from './model.ts'
import { type Credential, credentialFor, type Environment } from './providers.ts'

/** How an agent signs in with a provider. */
export type Login =
  /** Sent as the provider wants it; a secret. */
  | { readonly kind: 'key' | 'token'; readonly variable: string; readonly value: string }
  /** Through a cloud, whose own libraries find out who we are. */
  | { readonly kind: 'cloud'; readonly variable: string; readonly title: string }
  /** The agent's own program reads it; we look at the names in it. */
  | { readonly kind: 'file'; readonly path: string }

export interface LoginSearch {
  readonly provider: string
  readonly harness: HarnessName
  readonly environment: Environment
  /** Of logins that the person has in a file of the agent. */
  readonly files: LoginFiles
}

export interface LoginFiles {
  /** Of the Claude program, when it may use what the person has there. */
  readonly claude?: string | undefined
  /** Of the Pi agent, and for which providers it has a login. */
  readonly pi?: { readonly path: string; readonly providers: readonly string[] } | undefined
}

/** Switches of the Claude program, in the order in which it looks at them. */
const clouds: readonly (readonly [variable: string, title: string])[] = [
  ['CLAUDE_CODE_USE_BEDROCK', 'Amazon Bedrock'],
  ['CLAUDE_CODE_USE_VERTEX', 'Google Vertex AI'],
  ['CLAUDE_CODE_USE_FOUNDRY', 'Microsoft Foundry'],
]

/** After a key of the provider. */
const tokens = ['ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'] as const

/**
 * The login that an agent would use, by its own order: for the Claude agent a cloud that is switched on, a key, a token, its own
 * file if that is allowed; for the Pi agent a key, then its own file.
 */
export function loginFor({ provider, harness, environment, files }: LoginSearch): Login | undefined {
  const credential = credentialFor(provider, 'codon', environment)
  const key = credential.ok ? ({ kind: 'key', ...plain(credential) } as const) : undefined
  if (harness === 'embedded') {
    const hasFile = files.pi?.providers.includes(provider) === true
    return key ?? (hasFile && files.pi ? { kind: 'file', path: files.pi.path } : undefined)
  }
  const file = files.claude === undefined ? undefined : ({ kind: 'file', path: files.claude } as const)
  return cloudIn(environment) ?? key ?? tokenIn(environment) ?? file
}

/** Of these providers those that an agent on this machine can ask. */
export function signedIn(
  providers: readonly string[],
  at: Pick<LoginSearch, 'environment' | 'files'>,
): readonly string[] {
  const harnessOf = (provider: string): HarnessName => (provider === 'anthropic' ? 'sdk' : 'embedded')
  return providers.filter(provider => loginFor({ ...at, provider, harness: harnessOf(provider) }))
}

function plain({ variable, value }: Extract<Credential, { readonly ok: true }>) {
  return { variable, value }
}

function cloudIn(environment: Environment): Login | undefined {
  const on = clouds.find(([variable]) => /^(?:1|true|yes|on)$/i.test(environment[variable]?.trim() ?? ''))
  return on && { kind: 'cloud', variable: on[0], title: on[1] }
}

function tokenIn(environment: Environment): Login | undefined {
  const variable = tokens.find(name => (environment[name] ?? '').trim() !== '')
  return variable && { kind: 'token', variable, value: environment[variable] ?? '' }
}

/** What of the environment leads the Claude program elsewhere than to this login. */
export function otherLogins(login: Login | undefined): ReadonlySet<string> {
  const used = login && 'variable' in login ? login.variable : undefined
  const switches = clouds.map(([variable]) => variable).filter(variable => variable !== used)
  return new Set([...switches, ...(login?.kind === 'key' ? tokens : [])])
}

const mostBytes = 1 << 20

/** Where the Pi agent of a person keeps its logins, and for whom it has one. Undefined without such a file. */
export function piLogins(home: string): LoginFiles['pi'] {
  const path = join(home, '.pi', 'agent', 'auth.json')
  const providers = Object.keys(readLogins(path))
  return providers.length > 0 ? { path, providers } : undefined
}

/** The secrets in that file, so that they can be masked; the names say where they come from. */
export function piSecrets(home: string): Readonly<Record<string, string>> {
  const logins = readLogins(join(home, '.pi', 'agent', 'auth.json'))
  const secrets = Object.entries(logins).flatMap(([provider, login]) =>
    ['key', 'access', 'refresh'].flatMap(field => {
      const value = textOf(fieldsOf(login)[field])
      return value === undefined ? [] : [[`pi login ${provider} ${field}_TOKEN`, value] as const]
    }),
  )
  return Object.fromEntries(secrets)
}

function readLogins(path: string): Readonly<Record<string, unknown>> {
  try {
    const text = readFileSync(path, 'utf8')
    return text.length > mostBytes ? {} : fieldsOf(JSON.parse(text))
  } catch {
    return {}
  }
}
