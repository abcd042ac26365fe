import type { Api } from '@earendil-works/pi-ai'
import type { Warming } from '../worker-protocol.ts'
import type { Sdk } from './open-session.ts'
import { pickModel } from './pick-model.ts'

/** The doors of the package behind which the SDK keeps what it loads with the first request in a dialect. */
const doors: Partial<Record<Api, string>> = {
  'anthropic-messages': './anthropic',
  'openai-completions': './openai-completions',
  'openai-responses': './openai-responses',
  'azure-openai-responses': './azure-openai-responses',
  'google-generative-ai': './google',
  'google-vertex': './google-vertex',
  'mistral-conversations': './mistral',
}

/** Loads what the first request will need, while there is no task yet. Sends nothing. Never rejects. */
export async function warmUp(loading: Promise<Sdk>, wanted: Warming): Promise<void> {
  // Before an agent's is put in its place, which is watched.
  const { fetch } = globalThis
  try {
    const sdk = await loading
    const provider = sdk.ai.getProviders().find(name => name === wanted.provider)
    const picked = pickModel(provider ? sdk.ai.getModels(provider) : [], wanted)
    const door = doors[picked.ok ? picked.model.api : (wanted.dialect ?? '')]
    if (door !== undefined) await sdk.importDialect(door)
    // An address that holds its own answer: Node makes its client ready, and nobody is asked.
    await fetch('data:,')
  } catch {
    // Then the first request loads it.
  }
}
