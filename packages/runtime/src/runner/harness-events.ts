import type { EventData, JournaledType } from '@weave/protocol'
import type { HarnessEvent } from '../harness/index.ts'
import type { Origin } from '../journal/index.ts'

/** An event to be journaled. */
export type NewEvent = {
  [T in JournaledType]: {
    readonly type: T
    readonly data: EventData<T>
    readonly origin?: Origin | undefined
  }
}[JournaledType]

/** Longer tool results are cut on the wire; the whole text stays in the session log. */
const longestResult = 8_000

/** The events for clients that a harness event becomes. Pure; sessions, usage and ends are the runner's own business. */
export function eventsFrom(codonId: string, event: HarnessEvent): readonly NewEvent[] {
  switch (event.type) {
    case 'text':
      return [{ type: 'assistant.action', data: { codonId, action: 'message', content: event.text } }]
    case 'thinking':
      return [{ type: 'assistant.action', data: { codonId, action: 'thinking', content: event.text } }]
    case 'tool-call': {
      const { id: toolUseId, name: toolName, input: toolInput } = event
      return [
        {
          type: 'assistant.action',
          data: { codonId, action: 'tool_use', content: toolName, toolName, toolInput, toolUseId },
        },
      ]
    }
    case 'tool-result':
      return [{ type: 'tool.result', data: toolResult(codonId, event) }]
    case 'waiting': {
      // To the tenth: a wait of half a second is not one of a second.
      const seconds = Math.round(event.delayMs / 100) / 10
      return [{ type: 'info', data: { message: `${codonId} waits ${seconds} s: ${event.reason}` } }]
    }
    case 'compacted':
      return [{ type: 'info', data: { message: `${codonId}: the session was made shorter to fit.` } }]
    case 'session':
    case 'alive':
    case 'usage':
    case 'context-full':
    case 'ended':
      return []
  }
}

function toolResult(
  codonId: string,
  event: HarnessEvent & { type: 'tool-result' },
): EventData<'tool.result'> {
  return {
    codonId,
    toolUseId: event.id,
    toolName: event.name,
    result: event.output.slice(0, longestResult),
    truncated: event.output.length > longestResult,
    originalLength: event.output.length,
    executionTimeMs: event.durationMs,
    isError: event.isError,
  }
}
