import { failureOf } from './call-failure.ts'
import type { Completion, CompletionRequest, StructuredOutput, UsedTokens } from './completion.ts'
import { createModel } from './language-model.ts'
import { outputFor, unwrap } from './structured-output.ts'
import { tokensOf } from './usage.ts'

/**
 * Asks a model once. Never rejects: what goes wrong comes back as a value, with the tokens that were used up. Ends soon
 * after `signal` aborts. Nothing is sent to any address but `api`, and no redirect is followed with the key.
 */
export async function complete(request: CompletionRequest): Promise<Completion> {
  try {
    const { generateText } = await import('ai')
    // It would print to the terminal, which is not ours.
    globalThis.AI_SDK_LOG_WARNINGS = false
    const { output, system, temperature, messages, signal } = request
    const shape = output && (await outputFor(output))
    const result = await generateText({
      model: await createModel(request),
      ...(system !== undefined && { system }),
      messages: messages.map(message => ({ ...message })),
      ...(temperature !== undefined && { temperature }),
      maxOutputTokens: request.maxOutputTokens,
      maxRetries: request.maxRetries,
      abortSignal: signal,
      ...(shape && { output: shape.output, providerOptions: shape.providerOptions }),
    })
    const tokens = tokensOf(result.usage)
    if (!output) return plainAnswer(result.text, tokens)
    return await structuredAnswer(output, { answer: result.output, text: result.text, tokens })
  } catch (error) {
    return failureOf(error, request)
  }
}

function plainAnswer(text: string, tokens: UsedTokens): Completion {
  if (text.trim() !== '') return { ok: true, text, tokens }
  return { ok: false, retriable: true, message: 'The model answered nothing.', tokens }
}

interface Answered {
  readonly answer: unknown
  readonly text: string
  readonly tokens: UsedTokens
}

async function structuredAnswer(
  output: StructuredOutput,
  { answer, text, tokens }: Answered,
): Promise<Completion> {
  const unwrapped = unwrap(output, answer)
  const fits = unwrapped.ok && output.kind !== 'enum' ? await output.check(unwrapped.value) : unwrapped
  if (unwrapped.ok && fits.ok) return { ok: true, text, value: unwrapped.value, tokens }
  const why = 'message' in fits ? fits.message : ''
  const message = `The answer does not have the shape that was asked for: ${why}`
  return { ok: false, retriable: true, message, tokens }
}
