import type { EventData } from '@weave/protocol'
import { type Draft, type FoldGround, notBefore } from './draft.ts'
import { names, providerName } from './names.ts'
import { type Attributes, attributesOf, contentAttributes, failureOf } from './span.ts'

export interface SentinelPlace {
  readonly runId: string
  readonly index: number
  readonly parentId: string
  readonly providerOf: (modelId: string) => string | undefined
}

interface Watching {
  readonly model: string
  trigger: number
  triggered: number
  /** What was said or went wrong for the trigger. */
  told: number
}

/** What the sentinels of one attempt asked their models. */
export function createSentinelCalls(place: SentinelPlace, ground: FoldGround) {
  const watching = new Map<string, Watching>()

  const watcher = (sentinelId: string): Watching => {
    const known = watching.get(sentinelId) ?? { model: 'unknown', trigger: 0, triggered: 0, told: 0 }
    watching.set(sentinelId, known)
    return known
  }

  const call = (sentinelId: string, facts: CallFacts): Draft => {
    const known = watcher(sentinelId)
    const { model, trigger } = known
    // A trigger whose output could not be written has both an output and an error.
    const again = known.told === 0 ? [] : [known.told]
    known.told++
    const { start, end, failure } = facts
    return {
      subject: 'sentinel',
      name: `chat ${model}`,
      kind: 'client',
      spanId: ground.idOf(['sentinel', place.runId, place.index, sentinelId, trigger, ...again]),
      parentId: place.parentId,
      start,
      end: notBefore(start, end),
      attributes: {
        ...attributesOf({
          [names.operation]: 'chat',
          [names.provider]: providerName(place.providerOf(model)),
          [names.requestModel]: model,
          'weave.sentinel.id': sentinelId,
          'weave.sentinel.trigger': trigger,
          [names.errorType]: failure?.type,
        }),
        ...facts.more,
      },
      events: [],
      links: [],
      failure,
      runId: place.runId,
    }
  }

  return {
    loaded({ sentinelId, model }: EventData<'sentinel.loaded'>): void {
      watching.set(sentinelId, { model, trigger: 0, triggered: 0, told: 0 })
    },
    triggered({ sentinelId, triggerNumber }: EventData<'sentinel.triggered'>, time: number): void {
      Object.assign(watcher(sentinelId), { trigger: triggerNumber, triggered: time, told: 0 })
    },
    said(data: EventData<'sentinel.output'>, time: number): Draft {
      const { sentinelId, triggerNumber, durationMs, cost, tokens, content } = data
      const known = watcher(sentinelId)
      if (known.trigger !== triggerNumber) Object.assign(known, { trigger: triggerNumber, told: 0 })
      const start = durationMs === undefined ? known.triggered || time : time - durationMs
      const text = typeof content === 'string' ? content : JSON.stringify(content)
      return call(sentinelId, {
        start,
        end: time,
        more: {
          ...attributesOf({
            [names.inputTokens]: tokens.input,
            [names.outputTokens]: tokens.output,
            'weave.cost.usd': cost,
          }),
          ...(ground.content === 'all' ? contentAttributes({ [names.outputMessages]: answer(text) }) : {}),
        },
      })
    },
    failed({ sentinelId, errorType, message }: EventData<'sentinel.error'>, time: number): Draft {
      const start = watcher(sentinelId).triggered || time
      return call(sentinelId, { start, end: time, more: {}, failure: failureOf(errorType, message) })
    },
  }
}

export type SentinelCalls = ReturnType<typeof createSentinelCalls>

interface CallFacts {
  readonly start: number
  readonly end: number
  readonly more: Attributes
  readonly failure?: ReturnType<typeof failureOf>
}

function answer(content: string): string {
  return JSON.stringify([{ role: 'assistant', parts: [{ type: 'text', content }] }])
}
