import type { EventData, EventType, ServerEvent, StateSummary, Transition } from '@weave/protocol'

/** Times are counted in seconds from a fixed moment. */
export function timeAt(seconds: number): string {
  return new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString()
}

export function sampleEvent<T extends EventType>(
  type: T,
  data: EventData<T>,
  { seq, commandId }: { readonly seq?: number; readonly commandId?: string } = {},
): ServerEvent<T> {
  const event = {
    id: `evt-${seq ?? `${type}-direct`}`,
    timestamp: timeAt(seq ?? 0),
    type,
    data,
    ...(seq === undefined ? {} : { seq }),
    ...(commandId === undefined ? {} : { commandId }),
  }
  return event
}

export const readyData: EventData<'server.ready'> = {
  serverVersion: '0.10.0',
  executionPath: '/executions/one',
  dataPath: '/data',
}

export const tokens = { inputTokens: 10, outputTokens: 5, cacheCreationTokens: 0, cacheReadTokens: 100 }

/** A transition as it travels. */
export function transitionData(
  transition: Transition,
  summary: Partial<StateSummary> = {},
): EventData<'state.transition'> {
  return {
    transitionType: transition.type,
    transition: { type: transition.type, data: { ...transition.data } },
    resultingState: { currentRunId: 'run-1', runCount: 1, totalCost: 0, currentRunCost: 0, ...summary },
  }
}

/** Numbers events as a journal would. */
export function numbered(): <T extends EventType>(type: T, data: EventData<T>) => ServerEvent<T> {
  let seq = 0
  return (type, data) => {
    seq += 1
    return sampleEvent(type, data, { seq })
  }
}
