import { createId, fieldOf, isObject, type JsonObject, listOf } from '../../kit/index.ts'
import type { Usage } from '../answer.ts'
import { keys, parsedText, text } from '../json.ts'
import type { RequestReading, Turn } from '../model-request.ts'
import {
  alternating,
  type Dialect,
  pieces,
  sseEvent,
  turn,
  type WireMessage,
  type WirePart,
} from './dialect.ts'
import { openAiError, openAiOverflow } from './openai-chat.ts'

/** OpenAI Responses: `POST /v1/responses`. Cached tokens are counted within `input_tokens`. */
export const openAiResponses: Dialect = {
  name: 'openai-responses',
  read,
  whole: responseOf,
  events: message => responseEvents(responseOf(message)),
  error: openAiError,
  overflow: () =>
    openAiOverflow(
      'Your input exceeds the context window of this model. Please adjust your input and try again.',
    ),
}

function read(body: JsonObject): RequestReading {
  const input = body['input']
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : listOf(input)
  const schema = fieldOf(fieldOf(body['text'], 'format'), 'schema')
  const forcedTool = text(fieldOf(body['tool_choice'], 'name'))
  return {
    model: text(body['model']),
    system: [text(body['instructions']), ...items.filter(isSystem).flatMap(textsOf)]
      .filter(Boolean)
      .join('\n\n'),
    turns: alternating(items.filter(item => !isSystem(item)).flatMap(turnsOf)),
    declarations: listOf(body['tools']).map(tool => ({
      name: text(fieldOf(tool, 'name')),
      fields: keys(fieldOf(fieldOf(tool, 'parameters'), 'properties')),
    })),
    stream: body['stream'] === true,
    ...(isObject(schema) && { schema }),
    ...(forcedTool !== '' && { forcedTool }),
  }
}

function isSystem(item: unknown): boolean {
  return ['system', 'developer'].includes(text(fieldOf(item, 'role')))
}

function turnsOf(item: unknown): readonly Turn[] {
  const type = fieldOf(item, 'type') ?? 'message'
  const id = text(fieldOf(item, 'call_id'))
  if (type === 'message') {
    return [turn(fieldOf(item, 'role') === 'assistant' ? 'assistant' : 'user', { texts: textsOf(item) })]
  }
  if (type === 'function_call') {
    const call = { id, name: text(fieldOf(item, 'name')), input: parsedText(fieldOf(item, 'arguments')) }
    return [turn('assistant', { calls: [call] })]
  }
  if (type !== 'function_call_output') return []
  const output = textsIn(fieldOf(item, 'output')).join('\n\n')
  return [turn('user', { results: [{ id, text: output, isError: false }] })]
}

function textsOf(item: unknown): readonly string[] {
  return textsIn(fieldOf(item, 'content'))
}

function textsIn(content: unknown): readonly string[] {
  if (typeof content === 'string') return [content]
  return listOf(content)
    .filter(part => ['input_text', 'output_text'].includes(text(fieldOf(part, 'type'))))
    .map(part => text(fieldOf(part, 'text')))
}

function responseOf({ model, parts, usage, stop, now }: WireMessage) {
  const isWhole = stop === 'end' || stop === 'tool-use'
  const reason = stop === 'max-tokens' ? 'max_output_tokens' : 'content_filter'
  return {
    id: createId('resp'),
    object: 'response',
    created_at: Math.floor(now.getTime() / 1000),
    status: isWhole ? 'completed' : 'incomplete',
    incomplete_details: isWhole ? null : { reason },
    error: null,
    model,
    output: parts.map(itemOf),
    usage: usageOf(usage),
  } as const
}

function itemOf(part: WirePart) {
  switch (part.kind) {
    case 'text':
      return {
        id: createId('msg'),
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: part.text, annotations: [], logprobs: [] }],
      } as const
    case 'thinking':
      return {
        id: createId('rs'),
        type: 'reasoning',
        summary: [{ type: 'summary_text', text: part.text }],
        encrypted_content: null,
      } as const
    case 'call':
      return {
        id: createId('fc'),
        type: 'function_call',
        status: 'completed',
        call_id: createId('call'),
        name: part.name,
        arguments: JSON.stringify(part.input),
      } as const
  }
}

function usageOf({ input, output, cacheRead, cacheWrite }: Usage): JsonObject {
  const total = input + cacheRead + cacheWrite
  return {
    input_tokens: total,
    input_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: total + output,
  }
}

/** A part of an answer as the Responses dialect has it. */
type ResponseItem =
  | {
      readonly type: 'message'
      readonly id: string
      readonly content: readonly [{ readonly type: 'output_text'; readonly text: string }]
    }
  | {
      readonly type: 'reasoning'
      readonly id: string
      readonly summary: readonly [{ readonly type: 'summary_text'; readonly text: string }]
    }
  | { readonly type: 'function_call'; readonly id: string; readonly arguments: string }

interface WholeResponse {
  readonly status: 'completed' | 'incomplete'
  readonly output: readonly ResponseItem[]
}

type Step = { readonly type: string } & JsonObject

/** The events that build up to `response`, which is also the last of them. */
function responseEvents(response: WholeResponse): readonly string[] {
  const begun = { ...response, status: 'in_progress', output: [], usage: null }
  const steps: readonly Step[] = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...response.output.flatMap((item, index) => itemSteps(item, index)),
    { type: `response.${response.status}`, response },
  ]
  return steps.map((step, number) => sseEvent({ ...step, sequence_number: number }, step.type))
}

function itemSteps(item: ResponseItem, index: number): readonly Step[] {
  const at = { output_index: index }
  return [
    { type: 'response.output_item.added', ...at, item: { ...item, ...begun[item.type] } },
    ...innerSteps(item).map(step => ({ ...step, ...at, item_id: item.id })),
    { type: 'response.output_item.done', ...at, item },
  ]
}

const begun = {
  message: { status: 'in_progress', content: [] },
  reasoning: { summary: [] },
  function_call: { status: 'in_progress', arguments: '' },
}

function innerSteps(item: ResponseItem): readonly Step[] {
  if (item.type === 'function_call') {
    return [
      ...pieces(item.arguments).map(delta => ({ type: 'response.function_call_arguments.delta', delta })),
      { type: 'response.function_call_arguments.done', arguments: item.arguments },
    ]
  }
  if (item.type === 'reasoning') {
    return textSteps(item.summary[0], 'response.reasoning_summary_part', 'response.reasoning_summary_text')
  }
  return textSteps(item.content[0], 'response.content_part', 'response.output_text')
}

function textSteps(part: { readonly text: string }, partEvent: string, textEvent: string): readonly Step[] {
  const at = { content_index: 0, summary_index: 0 }
  return [
    { type: `${partEvent}.added`, ...at, part: { ...part, text: '' } },
    ...pieces(part.text).map(delta => ({ type: `${textEvent}.delta`, ...at, delta })),
    { type: `${textEvent}.done`, ...at, text: part.text },
    { type: `${partEvent}.done`, ...at, part },
  ]
}
