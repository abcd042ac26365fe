import type { CompletionRequest } from './completion.ts'
import { createModel } from './language-model.ts'

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
