import type { APICallError, LanguageModel, LanguageModelUsage } from 'ai'
import { isTokenCount, messageOf, retryAfterOf, systemClock } from '../kit/index.ts'
import type { Dialect } from '../models/index.ts'
import type { Completion, CompletionRequest, StructuredOutput, UsedTokens } from './completion.ts'
import { outputFor, unwrap } from './structured-output.ts'

interface Reached extends Pick<CompletionRequest, 'provider' | 'modelId' | 'dialect' | 'key' | 'api'> {
  /** In place of the network. */
  readonly fetch?: typeof fetch
}

/** The way to one model, in the dialect of its provider. Each dialect is loaded when it is first spoken. */
async function createModel({
  provider,
  modelId,
  dialect = usual.get(provider) ?? 'openai-completions',
  key,
  api,
  fetch = withoutRedirects,
}: Reached): Promise<LanguageModel> {
  // The address is always given: left out, the libraries would read it from variables in a form of their own.
  const reach = { baseURL: api, apiKey: key, fetch }
  if (dialect === 'anthropic-messages') {
    const { createAnthropic } = await import('@ai-sdk/anthropic')
    return createAnthropic(reach)(modelId)
  }
  if (dialect === 'google-generative-ai') {
    const { createGoogleGenerativeAI } = await import('@ai-sdk/google')
    return createGoogleGenerativeAI(reach)(modelId)
  }
  const { createOpenAI } = await import('@ai-sdk/openai')
  if (dialect === 'openai-responses') return createOpenAI(reach).responses(modelId)
  return createOpenAI({ ...reach, name: provider }).chat(modelId)
}

/** These have no other dialect at the address that the catalogue knows. All but a few speak OpenAI's chat dialect. */
const usual: ReadonlyMap<string, Dialect> = new Map([
  ['anthropic', 'anthropic-messages'],
  ['minimax', 'anthropic-messages'],
  ['minimax-cn', 'anthropic-messages'],
  ['xiaomi', 'anthropic-messages'],
  ['kimi-coding', 'anthropic-messages'],
  ['google', 'google-generative-ai'],
  ['openai', 'openai-responses'],
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
  dialect,
}: Pick<CompletionRequest, 'provider' | 'modelId' | 'dialect'>): Promise<boolean> {
  let body: string | undefined
  try {
    const { generateText } = await import('ai')
    const model = await createModel({
      provider,
      modelId,
      dialect,
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

/**
 * In four classes, each token in one of them; the library counts cached ones as input, too. Unknown when the provider did
 * not report them, or reported what cannot be.
 */
export function tokensOf({ inputTokens, outputTokens, inputTokenDetails }: LanguageModelUsage): UsedTokens {
  const { noCacheTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = inputTokenDetails
  const plain = noCacheTokens ?? (inputTokens ?? 0) - cacheReadTokens - cacheWriteTokens
  const told = [plain, outputTokens, cacheReadTokens, cacheWriteTokens]
  if (!told.every(isTokenCount) || plain + cacheReadTokens + cacheWriteTokens === 0) return 'unknown'
  return {
    inputTokens: plain,
    outputTokens: outputTokens ?? 0,
    cacheReadTokens,
    cacheCreationTokens: cacheWriteTokens,
  }
}

type Failure = Extract<Completion, { ok: false }>

/** What an error of a call means. Never rejects. */
async function failureOf(error: unknown, { signal, key }: CompletionRequest): Promise<Failure> {
  if (signal.aborted) return { ok: false, retriable: false, message: 'The call was stopped.' }
  const { APICallError, NoObjectGeneratedError, RetryError } = await import('ai')
  const cause = RetryError.isInstance(error) ? error.lastError : error
  if (APICallError.isInstance(cause)) return refusal(cause, key)
  if (NoObjectGeneratedError.isInstance(cause)) {
    const message = 'The answer does not have the shape that was asked for: it is not JSON'
    return { ok: false, retriable: true, message, ...(cause.usage && { tokens: tokensOf(cause.usage) }) }
  }
  const text = messageOf(cause)
  const message = `The call failed: ${readable(text, key)}`
  return { ok: false, retriable: false, message }
}

function refusal(error: APICallError, key: string): Failure {
  const { statusCode, isRetryable, responseHeaders = {} } = error
  const retryAfterMs = retryAfterOf(name => responseHeaders[name], systemClock.now())
  const what = statusCode === undefined ? 'The provider could not be reached' : `Status ${statusCode}`
  return {
    ok: false,
    retriable: isRetryable,
    ...(statusCode !== undefined && { status: statusCode }),
    message: `${what}: ${readable(error.message, key)}`,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    // An answer that cannot be read was given, and will be charged.
    ...(statusCode !== undefined && statusCode < 400 && { tokens: 'unknown' as const }),
  }
}

/** Some providers quote the key they refuse, whole or in part; a message is read by many. */
function readable(message: string, key: string): string {
  const short = message.length > longestMessage ? `${message.slice(0, longestMessage)}…` : message
  return key.length < 4 ? short : short.replaceAll(key, '[key]')
}

const longestMessage = 1_000
