import type { TokenCounts } from '@weave/protocol'
import { fieldsOf, isTokenCount, type JsonObject, listOf, numberOf, textOf } from '../../kit/index.ts'
import type { Block, PartialUsage, SdkMessage, SdkResult, ToolOutput } from './sdk-message.ts'

/** Reads one message of the SDK. Total: whatever comes is read as something, at worst as unknown. */
export function readMessage(raw: unknown): SdkMessage {
  const message = fieldsOf(raw)
  const type = textOf(message['type']) ?? typeof raw
  switch (type) {
    case 'assistant':
      return readAnswer(message)
    case 'user':
      return readUser(message)
    case 'stream_event':
      return readStreamEvent(message)
    case 'system':
      return readSystem(message)
    case 'result':
      return { kind: 'result', result: readResult(message) }
    case 'auth_status':
    case 'rate_limit_event':
    case 'tool_progress':
    case 'tool_use_summary':
      return alive
    default:
      return { kind: 'unknown', name: type }
  }
}

const alive: SdkMessage = { kind: 'alive' }

function readAnswer(message: JsonObject): SdkMessage {
  const answer = fieldsOf(message['message'])
  const messageId = textOf(answer['id'])
  const error = textOf(message['error'])
  if (error !== undefined || answer['model'] === '<synthetic>') return { kind: 'notice', error }
  if (messageId === undefined) return { kind: 'unknown', name: 'assistant' }
  return {
    kind: 'answer',
    messageId,
    thread: textOf(message['parent_tool_use_id']) ?? '',
    modelId: textOf(answer['model']),
    blocks: listOf(answer['content']).flatMap(readBlock),
    usage: readUsage(answer['usage']),
  }
}

function readBlock(raw: unknown): readonly Block[] {
  const block = fieldsOf(raw)
  switch (block['type']) {
    case 'text':
      return written('text', block['text'])
    case 'thinking':
      return written('thinking', block['thinking'])
    case 'tool_use': {
      const id = textOf(block['id'])
      const name = textOf(block['name'])
      if (id === undefined || name === undefined) return []
      return [{ type: 'tool-call', id, name, input: fieldsOf(block['input']) }]
    }
    default:
      return []
  }
}

function written(type: 'text' | 'thinking', value: unknown): readonly Block[] {
  const text = textOf(value) ?? ''
  return text === '' ? [] : [{ type, text }]
}

/** Not what the agent program itself says in the name of the user, nor what it repeats from an earlier session. */
function readUser(message: JsonObject): SdkMessage {
  if (message['isSynthetic'] === true || message['isReplay'] === true) return alive
  const results = listOf(fieldsOf(message['message'])['content']).flatMap(readToolResult)
  return results.length === 0 ? alive : { kind: 'tool-results', results }
}

function readToolResult(raw: unknown): readonly ToolOutput[] {
  const block = fieldsOf(raw)
  const id = textOf(block['tool_use_id'])
  if (block['type'] !== 'tool_result' || id === undefined) return []
  return [{ id, output: readOutput(block['content']), isError: block['is_error'] === true }]
}

function readOutput(content: unknown): string {
  const parts = listOf(content).map(raw => {
    const part = fieldsOf(raw)
    return textOf(part['text']) ?? `[${textOf(part['type']) ?? 'something'}]`
  })
  return textOf(content) ?? parts.join('\n')
}

function readStreamEvent(message: JsonObject): SdkMessage {
  const event = fieldsOf(message['event'])
  const thread = textOf(message['parent_tool_use_id']) ?? ''
  if (event['type'] === 'message_delta') {
    const isWhole = textOf(fieldsOf(event['delta'])['stop_reason']) !== undefined
    return { kind: 'answer-grew', thread, isWhole, usage: readUsage(event['usage']) }
  }
  const answer = fieldsOf(event['message'])
  const messageId = textOf(answer['id'])
  if (event['type'] !== 'message_start' || messageId === undefined) return alive
  const usage = readUsage(answer['usage'])
  return { kind: 'answer-began', thread, messageId, modelId: textOf(answer['model']), usage }
}

function readUsage(raw: unknown): PartialUsage {
  const usage = fieldsOf(raw)
  const counts: { -readonly [Field in keyof PartialUsage]: PartialUsage[Field] } = {}
  for (const [field, name] of usageFields) {
    const value = usage[name]
    if (isTokenCount(value)) counts[field] = value
    else if (value !== undefined && value !== null) counts.isOdd = true
  }
  return counts
}

const usageFields = [
  ['inputTokens', 'input_tokens'],
  ['outputTokens', 'output_tokens'],
  ['cacheCreationTokens', 'cache_creation_input_tokens'],
  ['cacheReadTokens', 'cache_read_input_tokens'],
] as const

function readSystem(message: JsonObject): SdkMessage {
  const subtype = textOf(message['subtype']) ?? ''
  if (subtype === 'compact_boundary') return { kind: 'compacted' }
  if (subtype === 'api_retry') {
    return {
      kind: 'retry',
      delayMs: Math.max(0, numberOf(message['retry_delay_ms']) ?? 0),
      status: numberOf(message['error_status']),
    }
  }
  return knownSystem.has(subtype) ? alive : { kind: 'unknown', name: `system/${subtype}` }
}

const knownSystem = new Set([
  'background_tasks_changed',
  'commands_changed',
  'control_request_progress',
  'files_persisted',
  'informational',
  'init',
  'model_refusal_fallback',
  'model_refusal_no_fallback',
  'notification',
  'permission_denied',
  'session_state_changed',
  'status',
  'task_notification',
  'task_progress',
  'task_started',
  'task_updated',
  'thinking_tokens',
])

function readResult(message: JsonObject): SdkResult {
  const errors = listOf(message['errors']).flatMap(error => textOf(error) ?? [])
  return {
    isError: message['is_error'] === true || message['subtype'] !== 'success',
    message: textOf(message['result']) ?? errors.join('\n'),
    status: numberOf(message['api_error_status']),
    terminalReason: textOf(message['terminal_reason']),
    startupFailure: textOf(message['startup_failure_reason']),
    tokens: readTotals(message['modelUsage']),
    totalDollars: numberOf(message['total_cost_usd']),
    isListPrice: Object.values(fieldsOf(message['modelUsage'])).every(isListPriced),
  }
}

/** Undefined when a count is none. */
function readTotals(raw: unknown): TokenCounts | undefined {
  const models = Object.values(fieldsOf(raw)).map(fieldsOf)
  const sums = totalFields.map(name => models.reduce((sum, usage) => sum + Number(usage[name] ?? 0), 0))
  const [inputTokens = 0, outputTokens = 0, cacheCreationTokens = 0, cacheReadTokens = 0] = sums
  if (models.length === 0 || !sums.every(isTokenCount)) return undefined
  return { inputTokens, outputTokens, cacheCreationTokens, cacheReadTokens }
}

const totalFields = ['inputTokens', 'outputTokens', 'cacheCreationInputTokens', 'cacheReadInputTokens']

/** A model whose basis is not said was priced by an earlier session, by the list. */
function isListPriced(usage: unknown): boolean {
  const basis = fieldsOf(usage)['costBasis']
  return basis === undefined || basis === 'list'
}
