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

/**
 * Whether a temperature would be sent to a model: the library for its provider leaves it out where the model takes none.
 * Asks that library for a request and looks at it; nothing is sent. Never rejects.
 */
export async function takesTemperature({
  provider,
  modelId,
}: Pick<CompletionRequest, 'provider' | 'modelId'>): Promise<boolean> {
  let body: string | undefined
  try {
    const { generateText } = await import('ai')
    const model = await createModel({
      provider,
      modelId,
      key: 'none',
      api: 'http://127.0.0.1:9/v1',
      fetch: async (_, init) => {
        body = typeof init?.body === 'string' ? init.body : undefined
        throw new Error('nothing is sent')
      },
    })
    await generateText({ model, prompt: 'x', temperature: 1, maxRetries: 0 })
  } catch {
    // It always ends so: what counts is the request.
  }
  return body === undefined || body.includes('"temperature":')
}
