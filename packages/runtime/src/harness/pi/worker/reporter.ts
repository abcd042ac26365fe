import type { AssistantMessage, Usage } from '@earendil-works/pi-ai'
import type { AgentSessionEvent } from '@earendil-works/pi-coding-agent'
import type { Clock } from '../../../kit/index.ts'
import type { FromWorker, WorkerEvent } from '../worker-protocol.ts'
import { answerEvents, outputOf, rawEvent, toolName, usageOf } from './translate.ts'

interface EventReporterOptions {
  readonly send: (message: FromWorker) => void
  readonly clock: Clock
  readonly modelId: string
}

export type EventReporter = ReturnType<typeof createEventReporter>

const heartbeatMs = 10_000
/** Much less than the shortest idle timeout, which is a second. */
const quietMs = 250

export function createEventReporter({ send, clock, modelId }: EventReporterOptions) {
  const openTools = new Map<string, number>()
  const unknown = new Map<string, number>()
  let isCompacting = false
  let answers = 0
  let lastEmitted = clock.monotonic()

  function emit(event: WorkerEvent): void {
    lastEmitted = clock.monotonic()
    send({ type: 'event', event })
  }

  const stopHeart = clock.every(heartbeatMs, () => {
    if (openTools.size > 0) emit({ type: 'alive' })
  })

  /** At most four times a second. */
  function alive(): void {
    if (clock.monotonic() - lastEmitted >= quietMs) emit({ type: 'alive' })
  }

  /** Also for a call that is no message of the session. */
  function charge(usage: Usage): void {
    const { tokens, isUnknown } = usageOf(usage)
    emit({ type: 'usage', messageId: `${++answers}`, tokens, ...(isUnknown && { isUnknown }), modelId })
  }

  function answered(message: AssistantMessage): void {
    for (const event of answerEvents(message)) emit(event)
    if (isCharged(message)) charge(message.usage)
  }

  function toolEnded({ toolCallId: id, toolName: tool, isError, result }: ToolEnd): void {
    const now = clock.monotonic()
    const durationMs = Math.max(0, Math.round(now - (openTools.get(id) ?? now)))
    openTools.delete(id)
    emit({ type: 'tool-result', id, name: toolName(tool), output: outputOf(result), isError, durationMs })
  }

  /** For the log of the session. */
  function note(message: object): void {
    send({ type: 'raw', message })
  }

  function handle(event: AgentSessionEvent): void {
    const message = rawEvent(event)
    if (message !== undefined) send({ type: 'raw', message })
    if (event.type === 'message_end' && event.message.role === 'assistant') answered(event.message)
    else if (event.type === 'tool_execution_start') openTools.set(event.toolCallId, clock.monotonic())
    else if (event.type === 'tool_execution_end') toolEnded(event)
    else if (event.type === 'compaction_start') isCompacting = true
    else if (event.type === 'compaction_end') {
      isCompacting = false
      if (event.result) emit({ type: 'compacted' })
    } else if (event.type === 'message_update' || event.type === 'tool_execution_update') alive()
    else if (!silent.has(event.type)) unknown.set(event.type, (unknown.get(event.type) ?? 0) + 1)
  }

  return {
    begin: (sessionId: string) => emit({ type: 'session', sessionId }),
    handle,
    alive,
    charge,
    note,
    isCompacting: () => isCompacting,
    /** Reports the event types that were not known. */
    close(): void {
      stopHeart()
      const counts = Object.fromEntries(unknown)
      if (unknown.size > 0) send({ type: 'raw', message: { type: 'unknown_events', counts } })
    },
  }
}

/** A refusal is no answer and costs nothing. */
function isCharged({ content, stopReason, usage }: AssistantMessage): boolean {
  const isAnswer = content.length > 0 || !(stopReason === 'error' || stopReason === 'aborted')
  return isAnswer || Object.values(usageOf(usage).tokens).some(count => count > 0)
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
