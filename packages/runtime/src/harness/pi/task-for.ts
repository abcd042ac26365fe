import type { Result } from '../../kit/index.ts'
import { credentialFor, credentialVariables, endpointFor, type Model } from '../../models/index.ts'
import type { HarnessSpec } from '../harness.ts'
import type { Address, AgentTask } from './worker-protocol.ts'

/** What the catalogue says about a model; undefined where it does not know it. */
export type ModelFacts = (
  provider: string,
  id: string,
) => Pick<Model, 'contextWindow' | 'maxOutputTokens'> | undefined

export type TaskResult = Result<{ readonly task: AgentTask }>

/** A codon in the words of a worker: where its provider is asked, with which key, about which model. */
export function taskFor(spec: HarnessSpec, factsOf: ModelFacts): TaskResult {
  const { provider, model, env, previousSessionId, systemPrompt } = spec
  const address = addressFor(provider, env)
  if (!address.ok) return address
  const credential = credentialFor(provider, 'codon', env)
  const facts = factsOf(provider, model)
  const task: AgentTask = {
    provider,
    model,
    ...(facts && { contextWindow: facts.contextWindow }),
    ...(facts?.maxOutputTokens !== undefined && { maxOutputTokens: facts.maxOutputTokens }),
    ...(credential.ok && { key: credential.value.trim() }),
    keyVariables: credentialVariables(provider, 'codon'),
    ...(address.address && { address: address.address }),
    cwd: spec.cwd,
    env,
    marker: spec.marker,
    home: spec.home,
    autoCompact: spec.autoCompact,
    prompt: spec.prompt,
    ...(systemPrompt !== undefined && { systemPrompt }),
    ...(previousSessionId !== undefined && { previousSessionId }),
  }
  return { ok: true, task }
}

type AddressResult = Result<{ readonly address?: Address }>

/** Only an address that a variable gives: the SDK knows the usual ones, model by model. */
function addressFor(provider: string, env: Readonly<Record<string, string>>): AddressResult {
  const endpoint = endpointFor(provider, env)
  if (endpoint.ok) {
    const { root, api, variable } = endpoint
    return { ok: true, ...(variable !== undefined && { address: { root, api } }) }
  }
  const isGiven = (env[endpoint.variable] ?? '').trim() !== ''
  return isGiven ? { ok: false, message: endpoint.message } : { ok: true }
}
