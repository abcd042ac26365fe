import type { AssistantMessage, Usage } from '@earendil-works/pi-ai'
import type { AgentSessionEvent } from '@earendil-works/pi-coding-agent'
import type { Clock } from '../../../kit/index.ts'
import type { FromWorker, WorkerEvent } from '../worker-protocol.ts'
import { answerEvents, outputOf, rawEvent, toolName, usageOf } from './translate.ts'

export interface NarratorOptions {
  readonly send: (message: FromWorker) => void
  readonly clock: Clock
  readonly modelId: string
}

/** Tells the server what the agent does. */
export interface Narrator {
  begin(sessionId: string): void
  hear(event: AgentSessionEvent): void
  /** Something moves, though there is nothing to tell. Told four times a second at most. */
  alive(): void
  /** Tokens of a call that is no message of the session. */
  charge(usage: Usage): void
  /** Whether the session is being made shorter. */
  readonly isCompacting: boolean
  /** Tells what was left untold and stops. */
  close(): void
}

const heartbeatMs = 10_000
/** Much less than the shortest idle timeout, which is a second. */
const quietMs = 250

export function createNarrator({ send, clock, modelId }: NarratorOptions): Narrator {
  const openTools = new Map<string, number>()
  const unknown = new Map<string, number>()
  let isCompacting = false
  let answers = 0
  let lastTold = clock.monotonic()

  function tell(event: WorkerEvent): void {
    lastTold = clock.monotonic()
    send({ type: 'event', event })
  }

  const stopHeart = clock.every(heartbeatMs, () => {
    if (openTools.size > 0) tell({ type: 'alive' })
  })

  function alive(): void {
    if (clock.monotonic() - lastTold >= quietMs) tell({ type: 'alive' })
  }

  function charge(usage: Usage): void {
    const { tokens, isUnknown } = usageOf(usage)
    tell({ type: 'usage', messageId: `${++answers}`, tokens, ...(isUnknown && { isUnknown }), modelId })
  }

  function answered(message: AssistantMessage): void {
    const { content, stopReason, usage } = message
    for (const event of answerEvents(message)) tell(event)
    // A refusal is no answer and costs nothing.
    const isAnswer = content.length > 0 || !(stopReason === 'error' || stopReason === 'aborted')
    const isTold = Object.values(usageOf(usage).tokens).some(count => count > 0)
    if (isAnswer || isTold) charge(usage)
  }

  function toolEnded({ toolCallId: id, toolName: tool, ...event }: ToolEnd): void {
    const began = openTools.get(id) ?? clock.monotonic()
    openTools.delete(id)
    const { isError } = event
    const output = outputOf(event.result)
    const durationMs = Math.max(0, Math.round(clock.monotonic() - began))
    tell({ type: 'tool-result', id, name: toolName(tool), output, isError, durationMs })
  }

  function hear(event: AgentSessionEvent): void {
    const message = rawEvent(event)
    if (message !== undefined) send({ type: 'raw', message })
    if (event.type === 'message_end' && event.message.role === 'assistant') answered(event.message)
    else if (event.type === 'tool_execution_start') openTools.set(event.toolCallId, clock.monotonic())
    else if (event.type === 'tool_execution_end') toolEnded(event)
    else if (event.type === 'compaction_start') isCompacting = true
    else if (event.type === 'compaction_end') {
      isCompacting = false
      if (event.result) tell({ type: 'compacted' })
    } else if (event.type === 'message_update' || event.type === 'tool_execution_update') alive()
    else if (!silent.has(event.type)) unknown.set(event.type, (unknown.get(event.type) ?? 0) + 1)
  }

  return {
    begin: sessionId => tell({ type: 'session', sessionId }),
    hear,
    alive,
    charge,
    get isCompacting() {
      return isCompacting
    },
    close() {
      stopHeart()
      const counts = Object.fromEntries(unknown)
      if (unknown.size > 0) send({ type: 'raw', message: { type: 'unknown_events', counts } })
    },
  }
}

type ToolEnd = Extract<AgentSessionEvent, { readonly type: 'tool_execution_end' }>

/** Events that say nothing which others do not say too. A later SDK may have more than these. */
const silent: ReadonlySet<string> = new Set([
  'agent_start',
  'agent_end',
  'turn_start',
  'turn_end',
  'message_start',
  'message_end',
  'queue_update',
  'session_info_changed',
  'thinking_level_changed',
])
