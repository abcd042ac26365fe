import type { AgentSessionEvent } from '@earendil-works/pi-coding-agent'

/**
 * An event of the SDK for the session log: as it came, without what it repeats. Updates carry all that was said so far,
 * again and again, and are left out; the ends of turns carry what the ends of messages told already.
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
