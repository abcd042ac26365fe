import { createId, fieldOf, isObject, type JsonObject, listOf } from '../../kit/index.ts'
import type { StopReason, Usage } from '../answer.ts'
import { keys, text } from '../json.ts'
import type { RequestReading, ToolDeclaration, Turn } from '../model-request.ts'
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

/**
 * Google: `POST /v1beta/models/<model>:generateContent`. Model and streaming stand in the path. Cached tokens are counted
 * within `promptTokenCount`; there is no field for tokens written to a cache.
 */
export const google: Dialect = {
  name: 'google',
  read,
  whole: message => chunkOf(message, message.parts.map(partOf)),
  events,
  error,
  overflow: () =>
    error({
      status: 400,
      message: 'The input token count (1196265) exceeds the maximum number of tokens allowed (1048576).',
    }),
}

function read(body: JsonObject): RequestReading {
  const config = body['generationConfig']
  const schema = fieldOf(config, 'responseSchema') ?? fieldOf(config, 'responseJsonSchema')
  const calling = fieldOf(body['toolConfig'], 'functionCallingConfig')
  const allowed = fieldOf(calling, 'mode') === 'ANY' ? listOf(fieldOf(calling, 'allowedFunctionNames')) : []
  const [forcedTool] = allowed.length === 1 ? allowed : []
  return {
    model: '',
    system: textsOf(body['systemInstruction']).join('\n\n'),
    turns: alternating(listOf(body['contents']).map(turnOf)),
    declarations: listOf(body['tools'])
      .flatMap(tool => listOf(fieldOf(tool, 'functionDeclarations')))
      .map(declarationOf),
    stream: false,
    ...(isObject(schema) && { schema }),
    ...(typeof forcedTool === 'string' && { forcedTool }),
  }
}

function declarationOf(declaration: unknown): ToolDeclaration {
  const schema = fieldOf(declaration, 'parameters') ?? fieldOf(declaration, 'parametersJsonSchema')
  return { name: text(fieldOf(declaration, 'name')), fields: keys(fieldOf(schema, 'properties')) }
}

function turnOf(content: unknown): Turn {
  const parts = listOf(fieldOf(content, 'parts'))
  const calls = parts.map(part => fieldOf(part, 'functionCall')).filter(isObject)
  const results = parts.map(part => fieldOf(part, 'functionResponse')).filter(isObject)
  return turn(fieldOf(content, 'role') === 'model' ? 'assistant' : 'user', {
    texts: textsOf(content),
    calls: calls.map(call => ({ id: text(call['id']), name: text(call['name']), input: call['args'] })),
    results: results.map(result => ({
      id: text(result['id']),
      text: resultText(result['response']),
      isError: fieldOf(result['response'], 'error') !== undefined,
    })),
  })
}

/** The text of a result stands under a name that the client chose; anything else is shown as JSON. */
function resultText(response: unknown): string {
  const [only, ...others] = keys(response)
  const value = only === undefined || others.length > 0 ? response : fieldOf(response, only)
  return typeof value === 'string' ? value : JSON.stringify(value ?? null)
}

function textsOf(content: unknown): readonly string[] {
  return listOf(fieldOf(content, 'parts'))
    .filter(part => typeof fieldOf(part, 'text') === 'string' && fieldOf(part, 'thought') !== true)
    .map(part => text(fieldOf(part, 'text')))
}

/** Every event has the shape of a whole answer; only the last one says why it ends and what it cost. */
function events(message: WireMessage): readonly string[] {
  const chunks = message.parts.flatMap(piecesOf).map(part => [part])
  const last = chunkOf(message, chunks.pop() ?? [])
  const begun = chunks.map(parts => ({ ...last, candidates: [candidateOf(parts)], usageMetadata: undefined }))
  return [...begun, last].map(chunk => sseEvent(chunk))
}

function chunkOf({ model, stop, usage }: WireMessage, parts: readonly JsonObject[]): JsonObject {
  return {
    candidates: [{ ...candidateOf(parts), finishReason: stopReasons[stop] }],
    usageMetadata: usageOf(usage),
    modelVersion: model,
    responseId: createId('resp'),
  }
}

function candidateOf(parts: readonly JsonObject[]): JsonObject {
  return { content: { role: 'model', parts }, index: 0 }
}

function piecesOf(part: WirePart): readonly JsonObject[] {
  if (part.kind === 'call') return [partOf(part)]
  return pieces(part.text).map(piece => partOf({ kind: part.kind, text: piece }))
}

function partOf(part: WirePart): JsonObject {
  if (part.kind === 'text') return { text: part.text }
  if (part.kind === 'thinking') return { text: part.text, thought: true }
  return { functionCall: { id: createId('call'), name: part.name, args: part.input } }
}

const stopReasons: Readonly<Record<StopReason, string>> = {
  end: 'STOP',
  'tool-use': 'STOP',
  'max-tokens': 'MAX_TOKENS',
  refusal: 'SAFETY',
}

function usageOf({ input, output, cacheRead, cacheWrite }: Usage): JsonObject {
  const prompt = input + cacheRead + cacheWrite
  return {
    promptTokenCount: prompt,
    cachedContentTokenCount: cacheRead,
    candidatesTokenCount: output,
    totalTokenCount: prompt + output,
  }
}

function error({ status, message, retryAfter }: WireError): JsonObject {
  const retry = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${retryAfter}s` }
  return {
    error: {
      code: status,
      message,
      status: statusWords.get(status) ?? (status < 500 ? 'INVALID_ARGUMENT' : 'INTERNAL'),
      ...(retryAfter !== undefined && { details: [retry] }),
    },
  }
}

const statusWords: ReadonlyMap<number, string> = new Map([
  [401, 'UNAUTHENTICATED'],
  [403, 'PERMISSION_DENIED'],
  [404, 'NOT_FOUND'],
  [429, 'RESOURCE_EXHAUSTED'],
  [503, 'UNAVAILABLE'],
  [504, 'DEADLINE_EXCEEDED'],
])
