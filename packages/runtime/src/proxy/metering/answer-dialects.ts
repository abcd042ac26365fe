import type { TokenCounts } from '@weave/protocol'
import { fieldOf, isObject, isTokenCount, textOf } from '../../kit/index.ts'

/** What the pieces of one answer have said so far. */
export interface AnswerNotes {
  readonly id?: string | undefined
  readonly modelId?: string | undefined
  readonly tokens?: TokenCounts | undefined
  /** Nothing of the usage is missing. */
  readonly isWhole?: boolean | undefined
  /** An answer that began well may still end with this. */
  readonly error?: { readonly status: number; readonly message: string } | undefined
}

/** How the answers of one kind of provider are read: `fold` takes one event of a stream, or a whole answer. */
export interface AnswerDialect {
  readonly name: 'messages' | 'chat' | 'responses' | 'google'
  fold(notes: AnswerNotes, value: unknown, isStream: boolean): AnswerNotes
}

/** Who answers at a path; undefined for whatever is no request for an answer of a model. */
export function dialectAt(method: string, target: string): AnswerDialect | undefined {
  if (method !== 'POST') return undefined
  const path = target.split('?', 1)[0] ?? ''
  if (path.endsWith('/messages')) return messages
  if (path.endsWith('/chat/completions')) return chat
  if (/\/responses(?:\/compact)?$/.test(path)) return responses
  return /:(?:streamGenerateContent|generateContent)$/.test(path) ? google : undefined
}

const messages: AnswerDialect = {
  name: 'messages',
  fold(notes, value, isStream) {
    const message = fieldOf(value, 'message') ?? value
    const usage = fieldOf(message, 'usage') ?? fieldOf(value, 'usage')
    const type = fieldOf(value, 'type')
    const error = type === 'error' ? errorOf(fieldOf(value, 'error')) : undefined
    const known = notes.tokens
    const read = (key: string, before: number | undefined) => countOf(usage, key) ?? before
    const cacheRead = read('cache_read_input_tokens', known?.cacheReadTokens) ?? 0
    const cacheWrite = read('cache_creation_input_tokens', known?.cacheCreationTokens) ?? 0
    const counted =
      isObject(usage) &&
      withoutCached({
        // Here the three are counted apart.
        input: (read('input_tokens', known?.inputTokens) ?? Number.NaN) + cacheRead + cacheWrite,
        output: read('output_tokens', known?.outputTokens),
        cacheRead,
        cacheWrite,
      })
    return {
      ...headOf(notes, message),
      ...counted,
      ...(counted && { isWhole: counted.isWhole && (!isStream || type === 'message_delta') }),
      ...(error && { error }),
    }
  },
}

const chat: AnswerDialect = {
  name: 'chat',
  fold(notes, value) {
    const usage = fieldOf(value, 'usage')
    const details = fieldOf(usage, 'prompt_tokens_details')
    const error = isObject(fieldOf(value, 'error')) ? errorOf(fieldOf(value, 'error')) : undefined
    return {
      ...headOf(notes, value),
      ...(isObject(usage) && {
        ...withoutCached({
          input: countOf(usage, 'prompt_tokens'),
          output: countOf(usage, 'completion_tokens'),
          cacheRead: countOf(details, 'cached_tokens'),
          cacheWrite: countOf(details, 'cache_write_tokens'),
        }),
      }),
      ...(error && { error }),
    }
  },
}

const responses: AnswerDialect = {
  name: 'responses',
  fold(notes, value) {
    const response = fieldOf(value, 'response') ?? value
    const usage = fieldOf(response, 'usage')
    const details = fieldOf(usage, 'input_tokens_details')
    const failed = fieldOf(response, 'error') ?? (fieldOf(value, 'type') === 'error' ? value : undefined)
    const error = isObject(failed) ? errorOf(failed) : undefined
    return {
      ...headOf(notes, response),
      ...(isObject(usage) && {
        ...withoutCached({
          input: countOf(usage, 'input_tokens'),
          output: countOf(usage, 'output_tokens'),
          cacheRead: countOf(details, 'cached_tokens'),
          cacheWrite: countOf(details, 'cache_write_tokens'),
        }),
      }),
      ...(error && { error }),
    }
  },
}

const google: AnswerDialect = {
  name: 'google',
  fold(notes, value) {
    // In one piece a stream is a list.
    if (Array.isArray(value))
      return value.reduce<AnswerNotes>((before, each) => google.fold(before, each, true), notes)
    const usage = fieldOf(value, 'usageMetadata')
    const error = isObject(fieldOf(value, 'error')) ? errorOf(fieldOf(value, 'error')) : undefined
    const sum = (...keys: readonly string[]) =>
      keys.reduce((total, key) => total + (countOf(usage, key) ?? 0), 0)
    const counted =
      isObject(usage) &&
      withoutCached({
        input: sum('promptTokenCount', 'toolUsePromptTokenCount'),
        // What was thought is charged like what was said, and counted apart.
        output: sum('candidatesTokenCount', 'thoughtsTokenCount'),
        cacheRead: countOf(usage, 'cachedContentTokenCount'),
      })
    return {
      ...notes,
      id: textOf(fieldOf(value, 'responseId')) ?? notes.id,
      modelId: textOf(fieldOf(value, 'modelVersion')) ?? notes.modelId,
      ...counted,
      // Every piece may carry usage; that of the last one counts.
      ...(counted && { isWhole: counted.isWhole && isLastPiece(value) }),
      ...(error && { error }),
    }
  },
}

function isLastPiece(value: unknown): boolean {
  const candidates = fieldOf(value, 'candidates')
  if (!Array.isArray(candidates)) return fieldOf(value, 'promptFeedback') !== undefined
  return candidates.some(candidate => textOf(fieldOf(candidate, 'finishReason')) !== undefined)
}

function headOf(notes: AnswerNotes, message: unknown): AnswerNotes {
  return {
    ...notes,
    id: textOf(fieldOf(message, 'id')) ?? notes.id,
    modelId: textOf(fieldOf(message, 'model')) ?? notes.modelId,
  }
}

interface Counts {
  readonly input: number | undefined
  readonly output: number | undefined
  readonly cacheRead?: number | undefined
  readonly cacheWrite?: number | undefined
}

/** Most providers count within the input what came from a cache or went into one. Not whole: what cannot be. */
function withoutCached({ input = Number.NaN, output = Number.NaN, cacheRead = 0, cacheWrite = 0 }: Counts) {
  const inputTokens = input - cacheRead - cacheWrite
  return {
    tokens: {
      inputTokens: possible(inputTokens),
      outputTokens: possible(output),
      cacheCreationTokens: possible(cacheWrite),
      cacheReadTokens: possible(cacheRead),
    },
    isWhole: [inputTokens, output, cacheRead, cacheWrite].every(isTokenCount),
  }
}

function possible(count: number): number {
  return isTokenCount(count) ? count : 0
}

/** Undefined when nothing is said; no number when what is said cannot be. */
function countOf(usage: unknown, key: string): number | undefined {
  const value = fieldOf(usage, key)
  if (value === undefined || value === null) return undefined
  return isTokenCount(value) ? value : Number.NaN
}

/** What an error inside an answer would have had as its status. */
const statusWords: readonly (readonly [RegExp, number])[] = [
  [/overloaded/i, 529],
  [/rate_limit|resource_exhausted/i, 429],
  [/context_length|invalid_|too.large|bad.request/i, 400],
  [/authentication|permission/i, 401],
]

function errorOf(error: unknown): NonNullable<AnswerNotes['error']> {
  const words = ['type', 'code', 'status'].map(key => String(fieldOf(error, key) ?? '')).join(' ')
  const code = fieldOf(error, 'code')
  const isStatus = typeof code === 'number' && code >= 400 && code < 600
  const status = isStatus ? code : (statusWords.find(([pattern]) => pattern.test(words))?.[1] ?? 500)
  return { status, message: textOf(fieldOf(error, 'message')) ?? words.trim() }
}

const overflowWords =
  /prompt is too long|context_length_exceeded|maximum context length|exceeds? the context window|context window (?:limit|exceeded)|input token count .{0,40}exceeds the maximum|request_too_large|exceed(?:s|ed)? (?:the )?(?:model'?s )?context limit|too many tokens/i

/** Whether a provider refuses because the conversation is longer than what the model takes. */
export function isOverflow(status: number, body: string): boolean {
  return (status === 400 || status === 413 || status === 422) && overflowWords.test(body)
}
