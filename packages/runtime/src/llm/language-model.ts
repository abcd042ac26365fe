import type { LanguageModel } from 'ai'
import type { CompletionRequest } from './completion.ts'

interface Reached extends Pick<CompletionRequest, 'provider' | 'modelId' | 'key' | 'api'> {
  /** In place of the network. */
  readonly fetch?: typeof fetch
}

/** The way to one model, in the dialect of its provider. Each dialect is loaded when it is first spoken. */
export async function createModel({
  provider,
  modelId,
  key,
  api,
  fetch = withoutRedirects,
}: Reached): Promise<LanguageModel> {
  // The address is always given: left out, the libraries would read it from variables in a form of their own.
  const reach = { baseURL: api, apiKey: key, fetch }
  if (speakAnthropic.has(provider)) {
    const { createAnthropic } = await import('@ai-sdk/anthropic')
    return createAnthropic(reach)(modelId)
  }
  if (provider === 'google') {
    const { createGoogleGenerativeAI } = await import('@ai-sdk/google')
    return createGoogleGenerativeAI(reach)(modelId)
  }
  const { createOpenAI } = await import('@ai-sdk/openai')
  if (provider === 'openai') return createOpenAI(reach).responses(modelId)
  return createOpenAI({ ...reach, name: provider }).chat(modelId)
}

/** These have no other dialect at the address that the catalogue knows. All but a few speak OpenAI's chat dialect. */
const speakAnthropic: ReadonlySet<string> = new Set([
  'anthropic',
  'minimax',
  'minimax-cn',
  'xiaomi',
  'kimi-coding',
])

/** With a redirect the key would travel to an address that nobody named. */
const withoutRedirects: typeof fetch = (input, init) =>
  globalThis.fetch(input, { ...init, redirect: 'error' })
