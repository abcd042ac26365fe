import { credentialFor, type Environment, endpointFor, type ResolvedModel } from '../models/index.ts'

/** Where a model is reached, and with which key. */
export type Access =
  | { readonly ok: true; readonly key: string; readonly api: string }
  | { readonly ok: false; readonly message: string }

/**
 * The way to a model for sentinels: the key that is theirs alone, then the plain one; the address from the variables of
 * the provider, else its usual one. Never through our own proxy. Give it the environment of the server.
 */
export function accessFrom({ provider }: ResolvedModel, environment: Environment): Access {
  const credential = credentialFor(provider, 'sentinel', environment)
  if (!credential.ok)
    return { ok: false, message: `there is no key for ${provider}; set ${credential.missing.join(' or ')}` }
  const endpoint = endpointFor(provider, environment)
  if (!endpoint.ok) return { ok: false, message: endpoint.message.replace(/\.$/, '') }
  return { ok: true, key: credential.value.trim(), api: endpoint.api }
}
