import type { Result } from '../../kit/index.ts'
import { credentialFor, credentialVariables, endpointFor, type Model } from '../../models/index.ts'
import type { HarnessSpec } from '../harness.ts'
import type { Address, AgentTask } from './worker-protocol.ts'

/** Undefined where the catalogue does not know the model. */
export type ModelFacts = (
  provider: string,
  id: string,
) => Pick<Model, 'contextWindow' | 'maxOutputTokens'> | undefined

/** Where the provider is asked, with which key, about which model. */
export function taskFor(spec: HarnessSpec, factsOf: ModelFacts): Result<{ readonly task: AgentTask }> {
  const { provider, model, cwd, env, marker, home, autoCompact } = spec
  const { prompt, systemPrompt, previousSessionId } = spec
  const address = addressFor(provider, env)
  if (!address.ok) return address
  const credential = credentialFor(provider, 'codon', env)
  const key = credential.ok ? credential.value.trim() : undefined
  const keyVariables = credentialVariables(provider, 'codon')
  const { contextWindow, maxOutputTokens } = factsOf(provider, model) ?? {}
  const asked = {
    provider,
    model,
    contextWindow,
    maxOutputTokens,
    key,
    keyVariables,
    address: address.address,
  }
  const surroundings = { cwd, env, marker, home, autoCompact }
  return { ok: true, task: { ...asked, ...surroundings, prompt, systemPrompt, previousSessionId } }
}

/** Only an address that a variable gives: the SDK knows the usual ones, model by model. */
function addressFor(
  provider: string,
  env: Readonly<Record<string, string>>,
): Result<{ readonly address?: Address }> {
  const endpoint = endpointFor(provider, env)
  if (endpoint.ok) {
    const { root, api, variable } = endpoint
    return { ok: true, ...(variable !== undefined && { address: { root, api } }) }
  }
  const isGiven = (env[endpoint.variable] ?? '').trim() !== ''
  return isGiven ? { ok: false, message: endpoint.message } : { ok: true }
}
