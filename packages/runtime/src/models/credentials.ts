import { providerOf } from './providers.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** Who makes the call: an agent that works on a codon, or a sentinel that watches one. */
export type CredentialUse = 'codon' | 'sentinel'

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

export function isSet(value: string | undefined): value is string {
  return value !== undefined && value.trim() !== ''
}
