import type { AssistantMessage, Usage } from '@earendil-works/pi-ai'
import type { AgentSessionEvent } from '@earendil-works/pi-coding-agent'
import { isObject, isTokenCount, type JsonObject } from '../../../kit/index.ts'
import type { WorkerEvent } from '../worker-protocol.ts'

interface Row {
  readonly name: string
  /** The SDK's key to ours. */
  readonly keys: Readonly<Record<string, string>>
}

/** The tools of the SDK in the words that all harnesses share. */
const rows: ReadonlyMap<string, Row> = new Map([
  ['read', { name: 'Read', keys: { path: 'file_path' } }],
  ['write', { name: 'Write', keys: { path: 'file_path' } }],
  ['edit', { name: 'Edit', keys: { path: 'file_path', oldText: 'old_string', newText: 'new_string' } }],
  ['bash', { name: 'Bash', keys: {} }],
  ['ls', { name: 'LS', keys: {} }],
])

/** Total: an unknown tool and an odd input stay as they are. */
export function namedCall(tool: string, input: unknown) {
  const { name, keys } = rows.get(tool) ?? { name: tool, keys: {} }
  if (!isObject(input)) return { name, input: input === undefined ? {} : { input } }
  return { name, input: flattened(renamed(input, keys), keys) }
}

export function toolName(tool: string): string {
  return rows.get(tool)?.name ?? tool
}

function renamed(input: JsonObject, keys: Row['keys']): JsonObject {
  const named = (key: string) => (Object.hasOwn(keys, key) ? (keys[key] ?? key) : key)
  return Object.fromEntries(Object.entries(input).map(([key, value]) => [named(key), value]))
}

/** An edit with a single replacement looks like that of a tool that knows only one. */
function flattened(input: JsonObject, keys: Row['keys']): JsonObject {
  const { edits, ...rest } = input
  if (!Array.isArray(edits)) return input
  const all = edits.map((edit: unknown) => (isObject(edit) ? renamed(edit, keys) : edit))
  const [only] = all
  return all.length === 1 && isObject(only) ? { ...rest, ...only } : { ...rest, edits: all }
}

/** In its order. Tools of an answer that broke off are never called. */
export function answerEvents({ content, stopReason }: AssistantMessage): readonly WorkerEvent[] {
  const isBroken = stopReason === 'error' || stopReason === 'aborted'
  return content.flatMap(eventsOf).filter(event => !(isBroken && event.type === 'tool-call'))
}

function eventsOf(block: AssistantMessage['content'][number]): readonly WorkerEvent[] {
  if (block.type === 'text') return block.text === '' ? [] : [{ type: 'text', text: block.text }]
  if (block.type === 'toolCall') {
    return [{ type: 'tool-call', id: block.id, ...namedCall(block.name, block.arguments) }]
  }
  return block.thinking === '' || block.redacted ? [] : [{ type: 'thinking', text: block.thinking }]
}

/** The SDK counts each token in one class, as we do, and takes what is not reported for zero. */
export function usageOf({ input, output, cacheRead, cacheWrite }: Usage) {
  const told = [input, output, cacheRead, cacheWrite]
  const [inputTokens = 0, outputTokens = 0, cacheReadTokens = 0, cacheCreationTokens = 0] = told.map(count =>
    isTokenCount(count) ? count : 0,
  )
  const isAsked = inputTokens + cacheReadTokens + cacheCreationTokens > 0
  const tokens = { inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens }
  return { tokens, isUnknown: !told.every(isTokenCount) || !isAsked }
}

/** A picture is only named. */
export function outputOf(result: unknown): string {
  const content: unknown = isObject(result) ? result['content'] : undefined
  return Array.isArray(content) ? content.map(textOf).join('\n') : ''
}

function textOf(block: unknown): string {
  if (!isObject(block)) return ''
  const { type, text, mimeType } = block
  if (type === 'text' && typeof text === 'string') return text
  return typeof mimeType === 'string' ? `[${mimeType}]` : '[not text]'
}

/**
 * For the session log: as it came, without updates, which carry all that was said so far, and without what the ends of turns
 * repeat of the ends of messages.
 */
export function rawEvent(event: AgentSessionEvent): unknown {
  switch (event.type) {
    case 'message_update':
    case 'tool_execution_update':
      return undefined
    case 'turn_end':
      return { type: event.type, toolResults: event.toolResults.length }
    case 'agent_end':
      return { type: event.type, messages: event.messages.length }
    default:
      return event
  }
}
