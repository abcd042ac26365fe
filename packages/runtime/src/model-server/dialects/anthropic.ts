import { createId, fieldOf, isObject, type JsonObject, listOf } from '../../kit/index.ts'
import type { StopReason, Usage } from '../answer.ts'
import { keys, text } from '../json.ts'
import type { RequestReading, ToolResult, Turn } from '../model-request.ts'
import { type Dialect, pieces, sseEvent, type WireError, type WireMessage, type WirePart } from './dialect.ts'

/** Anthropic Messages: `POST /v1/messages`. Cached tokens are counted beside `input_tokens`, not within. */
export const anthropic: Dialect = {
  name: 'anthropic',
  read,
  whole,
  events,
  error,
  overflow: () => error({ status: 400, message: 'prompt is too long: 213462 tokens > 200000 maximum' }),
}

function error({ status, message }: WireError): JsonObject {
  const type = errorTypes.get(status) ?? (status < 500 ? 'invalid_request_error' : 'api_error')
  return { type: 'error', error: { type, message }, request_id: createId('req') }
}

const errorTypes: ReadonlyMap<number, string> = new Map([
  [401, 'authentication_error'],
  [402, 'billing_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [413, 'request_too_large'],
  [429, 'rate_limit_error'],
  [504, 'timeout_error'],
  [529, 'overloaded_error'],
])

function read(body: JsonObject): RequestReading {
  const tools = listOf(body['tools'])
  const forced = forcedOf(tools, body['tool_choice'])
  const schema =
    fieldOf(fieldOf(body['output_config'], 'format'), 'schema') ?? fieldOf(forced, 'input_schema')
  return {
    model: text(body['model']),
    system: textsOf(body['system']).join('\n\n'),
    turns: listOf(body['messages']).map(turnOf),
    declarations: tools.map(tool => ({
      name: text(fieldOf(tool, 'name')),
      fields: keys(fieldOf(fieldOf(tool, 'input_schema'), 'properties')),
    })),
    stream: body['stream'] === true,
    ...(isObject(schema) && { schema }),
    ...(forced !== undefined && { forcedTool: text(fieldOf(forced, 'name')) }),
  }
}

/** The tool that must be called: by its name, or because there is no other. */
function forcedOf(tools: readonly unknown[], choice: unknown): unknown {
  const type = fieldOf(choice, 'type')
  if (type === 'tool') return tools.find(tool => fieldOf(tool, 'name') === fieldOf(choice, 'name'))
  return type === 'any' && tools.length === 1 ? tools[0] : undefined
}

function turnOf(message: unknown): Turn {
  const content = fieldOf(message, 'content')
  const texts = textsOf(content)
  const blocks = listOf(content)
  return {
    role: fieldOf(message, 'role') === 'assistant' ? 'assistant' : 'user',
    text: texts.join('\n\n'),
    texts,
    calls: blocks
      .filter(block => fieldOf(block, 'type') === 'tool_use')
      .map(block => ({
        id: text(fieldOf(block, 'id')),
        name: text(fieldOf(block, 'name')),
        input: fieldOf(block, 'input'),
      })),
    results: blocks.filter(block => fieldOf(block, 'type') === 'tool_result').map(resultOf),
  }
}

function resultOf(block: unknown): ToolResult {
  return {
    id: text(fieldOf(block, 'tool_use_id')),
    text: textsOf(fieldOf(block, 'content')).join('\n\n'),
    isError: fieldOf(block, 'is_error') === true,
  }
}

function textsOf(content: unknown): readonly string[] {
  if (typeof content === 'string') return [content]
  return listOf(content)
    .filter(block => fieldOf(block, 'type') === 'text')
    .map(block => text(fieldOf(block, 'text')))
}

function whole(message: WireMessage): JsonObject {
  return {
    ...head(message),
    content: message.parts.map(blockOf),
    stop_reason: stopReasons[message.stop],
    usage: usageOf(message.usage),
  }
}

function events(message: WireMessage): readonly string[] {
  const usage = { ...usageOf(message.usage), output_tokens: Math.min(1, message.usage.output) }
  const end = { stop_reason: stopReasons[message.stop], stop_sequence: null }
  return [
    event({ type: 'message_start', message: { ...head(message), content: [], stop_reason: null, usage } }),
    ...message.parts.flatMap(blockEvents),
    event({ type: 'message_delta', delta: end, usage: usageOf(message.usage) }),
    event({ type: 'message_stop' }),
  ]
}

function blockEvents(part: WirePart, index: number): readonly string[] {
  const block = blockOf(part)
  return [
    event({ type: 'content_block_start', index, content_block: { ...block, ...emptied[part.kind] } }),
    ...deltasOf(part).map(delta => event({ type: 'content_block_delta', index, delta })),
    event({ type: 'content_block_stop', index }),
  ]
}

const emptied = {
  text: { text: '' },
  thinking: { thinking: '', signature: '' },
  call: { input: {} },
}

function deltasOf(part: WirePart): readonly JsonObject[] {
  if (part.kind === 'text') return pieces(part.text).map(piece => ({ type: 'text_delta', text: piece }))
  if (part.kind === 'call') {
    return pieces(JSON.stringify(part.input)).map(piece => ({
      type: 'input_json_delta',
      partial_json: piece,
    }))
  }
  const thoughts = pieces(part.text).map(piece => ({ type: 'thinking_delta', thinking: piece }))
  return [...thoughts, { type: 'signature_delta', signature }]
}

function event(data: { readonly type: string } & JsonObject): string {
  return sseEvent(data, data.type)
}

function head({ model }: WireMessage): JsonObject {
  return { id: createId('msg'), type: 'message', role: 'assistant', model, stop_sequence: null }
}

const signature = Buffer.from('a scripted model has no secrets').toString('base64')

function blockOf(part: WirePart): JsonObject {
  switch (part.kind) {
    case 'text':
      return { type: 'text', text: part.text }
    case 'thinking':
      return { type: 'thinking', thinking: part.text, signature }
    case 'call':
      return { type: 'tool_use', id: createId('toolu'), name: part.name, input: part.input }
  }
}

const stopReasons: Readonly<Record<StopReason, string>> = {
  end: 'end_turn',
  'tool-use': 'tool_use',
  'max-tokens': 'max_tokens',
  refusal: 'refusal',
}

function usageOf({ input, output, cacheRead, cacheWrite }: Usage): JsonObject {
  return {
    input_tokens: input,
    output_tokens: output,
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: cacheWrite,
    cache_creation: { ephemeral_5m_input_tokens: cacheWrite, ephemeral_1h_input_tokens: 0 },
  }
}
