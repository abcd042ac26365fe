import { createId, fieldOf, isObject, type JsonObject, listOf } from '../../kit/index.ts'
import type { StopReason, Usage } from '../answer.ts'
import { keys, parsedText, text } from '../json.ts'
import type { RequestReading, Turn } from '../model-request.ts'
import {
  alternating,
  type Dialect,
  pieces,
  sseEvent,
  turn,
  type WireError,
  type WireMessage,
  type WirePart,
} from './dialect.ts'

/** OpenAI Chat Completions: `POST /v1/chat/completions`. Cached tokens are counted within `prompt_tokens`. */
export const openAiChat: Dialect = {
  name: 'openai-chat',
  read,
  whole: message => whole(message, 'reasoning_content'),
  events: message => events(message, 'reasoning_content'),
  error: openAiError,
  overflow: () =>
    openAiOverflow(
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 131072 tokens. Please reduce the length of the messages.",
    ),
}

/** OpenRouter: the same at another address, with another name for thinking and plainer errors. */
export const openRouter: Dialect = {
  name: 'openrouter',
  read,
  whole: message => whole(message, 'reasoning'),
  events: message => events(message, 'reasoning'),
  error: ({ status, message }) => ({ error: { message, code: status } }),
  overflow: () => ({
    error: {
      message:
        "This endpoint's maximum context length is 128000 tokens. However, you requested about 131072 tokens.",
      code: 400,
    },
  }),
}

function read(body: JsonObject): RequestReading {
  const messages = listOf(body['messages'])
  const schema = fieldOf(fieldOf(body['response_format'], 'json_schema'), 'schema')
  const forcedTool = text(fieldOf(fieldOf(body['tool_choice'], 'function'), 'name'))
  return {
    model: text(body['model']),
    system: messages.filter(isSystem).flatMap(textsOf).join('\n\n'),
    turns: alternating(messages.filter(message => !isSystem(message)).map(turnOf)),
    declarations: listOf(body['tools']).map(tool => ({
      name: text(fieldOf(fieldOf(tool, 'function'), 'name')),
      fields: keys(fieldOf(fieldOf(fieldOf(tool, 'function'), 'parameters'), 'properties')),
    })),
    stream: body['stream'] === true,
    ...(isObject(schema) && { schema }),
    ...(forcedTool !== '' && { forcedTool }),
  }
}

function isSystem(message: unknown): boolean {
  return ['system', 'developer'].includes(text(fieldOf(message, 'role')))
}

function turnOf(message: unknown): Turn {
  const role = fieldOf(message, 'role')
  const texts = textsOf(message)
  if (role === 'tool') {
    const result = { id: text(fieldOf(message, 'tool_call_id')), text: texts.join('\n\n'), isError: false }
    return turn('user', { results: [result] })
  }
  if (role !== 'assistant') return turn('user', { texts })
  const calls = listOf(fieldOf(message, 'tool_calls')).map(call => ({
    id: text(fieldOf(call, 'id')),
    name: text(fieldOf(fieldOf(call, 'function'), 'name')),
    input: parsedText(fieldOf(fieldOf(call, 'function'), 'arguments')),
  }))
  return turn('assistant', { texts, calls })
}

function textsOf(message: unknown): readonly string[] {
  const content = fieldOf(message, 'content')
  if (typeof content === 'string') return [content]
  return listOf(content)
    .filter(part => fieldOf(part, 'type') === 'text')
    .map(part => text(fieldOf(part, 'text')))
}

function whole(message: WireMessage, reasoningField: string): JsonObject {
  const calls = message.parts.flatMap(part => (part.kind === 'call' ? [callOf(part)] : []))
  const thinking = joined(message, 'thinking')
  return {
    ...head(message),
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: joined(message, 'text') ?? null,
          ...(thinking !== undefined && { [reasoningField]: thinking }),
          ...(calls.length > 0 && { tool_calls: calls }),
        },
        finish_reason: stopReasons[message.stop],
      },
    ],
    usage: usageOf(message.usage),
  }
}

function joined({ parts }: WireMessage, kind: 'text' | 'thinking'): string | undefined {
  const texts = parts.flatMap(part => (part.kind === kind ? [part.text] : []))
  return texts.length > 0 ? texts.join('\n\n') : undefined
}

function events(message: WireMessage, reasoningField: string): readonly string[] {
  const base = { ...head(message), object: 'chat.completion.chunk' }
  const chunk = (delta: JsonObject, finish: string | null = null) =>
    sseEvent({ ...base, choices: [{ index: 0, delta, finish_reason: finish }] })
  let calls = 0
  const deltas = message.parts.flatMap(part =>
    part.kind === 'call'
      ? callDeltas(part, calls++)
      : pieces(part.text).map(piece => ({ [part.kind === 'text' ? 'content' : reasoningField]: piece })),
  )
  return [
    chunk({ role: 'assistant', content: '' }),
    ...deltas.map(delta => chunk(delta)),
    chunk({}, stopReasons[message.stop]),
    sseEvent({ ...base, choices: [], usage: usageOf(message.usage) }),
    sseEvent('[DONE]'),
  ]
}

type Call = Extract<WirePart, { readonly kind: 'call' }>

function callOf({ name, input }: Call) {
  return { id: createId('call'), type: 'function', function: { name, arguments: JSON.stringify(input) } }
}

function callDeltas(part: Call, index: number): readonly JsonObject[] {
  const { id, type, function: called } = callOf(part)
  // Most clients need id and name once; Mistral's refuses a piece without them.
  return ['', ...pieces(called.arguments)].map(piece => ({
    tool_calls: [{ index, id, type, function: { name: called.name, arguments: piece } }],
  }))
}

function head({ model, now }: WireMessage): JsonObject {
  return { id: createId('chatcmpl'), model, created: Math.floor(now.getTime() / 1000) }
}

const stopReasons: Readonly<Record<StopReason, string>> = {
  end: 'stop',
  'tool-use': 'tool_calls',
  'max-tokens': 'length',
  refusal: 'content_filter',
}

function usageOf({ input, output, cacheRead, cacheWrite }: Usage): JsonObject {
  const prompt = input + cacheRead + cacheWrite
  return {
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: prompt + output,
    prompt_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
    completion_tokens_details: { reasoning_tokens: 0 },
  }
}

export function openAiError({ status, message }: WireError): JsonObject {
  const code = codes.get(status) ?? null
  const type = status === 429 ? 'requests' : status < 500 ? 'invalid_request_error' : 'server_error'
  return { error: { message, type, param: null, code } }
}

const codes: ReadonlyMap<number, string> = new Map([
  [401, 'invalid_api_key'],
  [402, 'insufficient_quota'],
  [404, 'model_not_found'],
  [429, 'rate_limit_exceeded'],
])

export function openAiOverflow(message: string): JsonObject {
  return {
    error: { message, type: 'invalid_request_error', param: 'input', code: 'context_length_exceeded' },
  }
}
