import type { AssistantMessage, Usage } from '@earendil-works/pi-ai'
import type { TokenCounts } from '@weave/protocol'
import { isObject, isTokenCount } from '../../../kit/index.ts'
import type { WorkerEvent } from '../worker-message.ts'
import { namedCall } from './tool-call.ts'

/** What an answer of the model says and does, in its order. Tools of an answer that broke off are never called. */
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

export interface ToldUsage {
  /** As far as they were told. */
  readonly tokens: TokenCounts
  readonly isUnknown: boolean
}

/** The SDK counts each token in one class, as we do, and takes what a provider does not tell for zero. */
export function usageOf({ input, output, cacheRead, cacheWrite }: Usage): ToldUsage {
  const told = [input, output, cacheRead, cacheWrite]
  const [inputTokens = 0, outputTokens = 0, cacheReadTokens = 0, cacheCreationTokens = 0] = told.map(count =>
    isTokenCount(count) ? count : 0,
  )
  const isAsked = inputTokens + cacheReadTokens + cacheCreationTokens > 0
  const tokens = { inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens }
  return { tokens, isUnknown: !told.every(isTokenCount) || !isAsked }
}

/** The result of a tool as text; a picture is only named. */
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
