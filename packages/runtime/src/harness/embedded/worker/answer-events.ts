import type { AssistantMessage, Usage } from '@earendil-works/pi-ai'
import type { TokenCounts } from '@weave/protocol'
import type { WorkerEvent } from '../worker-message.ts'
import { isRecord, namedCall } from './tool-call.ts'

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

/** The SDK counts each token in one class, as we do; a provider with odd figures could make one negative. */
export function tokensOf({ input, output, cacheRead, cacheWrite }: Usage): TokenCounts {
  return {
    inputTokens: Math.max(0, input),
    outputTokens: Math.max(0, output),
    cacheReadTokens: Math.max(0, cacheRead),
    cacheCreationTokens: Math.max(0, cacheWrite),
  }
}

/** The result of a tool as text; a picture is only named. */
export function outputOf(result: unknown): string {
  const content: unknown = isRecord(result) ? result['content'] : undefined
  return Array.isArray(content) ? content.map(textOf).join('\n') : ''
}

function textOf(block: unknown): string {
  if (!isRecord(block)) return ''
  const { type, text, mimeType } = block
  if (type === 'text' && typeof text === 'string') return text
  return typeof mimeType === 'string' ? `[${mimeType}]` : '[not text]'
}
