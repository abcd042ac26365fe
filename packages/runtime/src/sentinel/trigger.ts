import type { PatternCompiler, SentinelConfig } from '../hank/index.ts'
import { createTest } from './condition.ts'
import type { ObservedEvent } from './observed.ts'

/** What wakes a sentinel. Holds the progress of a sequence; otherwise pure. Never throws. */
export interface Trigger {
  /** Whether an event of this type can make a difference. The events of sentinels never do. */
  wants(type: string): boolean
  /** Give it the events that it wants: those that made it fire, this one the last; undefined when it did not fire. */
  feed(event: ObservedEvent): readonly ObservedEvent[] | undefined
}

type TriggerConfig = SentinelConfig['trigger']
type Step = (event: ObservedEvent) => boolean

export function createTrigger(config: TriggerConfig, compile: PatternCompiler): Trigger {
  const on = config.type === 'event' ? config.on : config.interestFilter.on
  const types = new Set(on)
  const wantsAll = types.has(anyType)
  return {
    wants: type => (wantsAll || types.has(type)) && !type.startsWith('sentinel.'),
    feed: config.type === 'event' ? firesOnEvent(config, compile) : firesOnSequence(config, compile),
  }
}

const anyType = '*'

type Fire = (event: ObservedEvent) => readonly ObservedEvent[] | undefined

function firesOnEvent({ conditions }: TriggerConfig & { type: 'event' }, compile: PatternCompiler): Fire {
  const holds = createTest(conditions, compile)
  return event => (holds(event.data) ? [event] : undefined)
}

function firesOnSequence(
  { pattern, options }: TriggerConfig & { type: 'sequence' },
  compile: PatternCompiler,
): Fire {
  const steps = pattern.map(({ type, conditions }): Step => {
    const holds = createTest(conditions, compile)
    return event => (type === anyType || type === event.type) && holds(event.data)
  })
  return options.consecutive ? firesOnRow(steps) : firesOnOrder(steps)
}

/** The steps occur in order, whatever comes in between. Then it begins anew. */
function firesOnOrder(steps: readonly Step[]): Fire {
  let taken: ObservedEvent[] = []
  return event => {
    if (steps[taken.length]?.(event) !== true) return undefined
    taken.push(event)
    if (taken.length < steps.length) return undefined
    const fired = taken
    taken = []
    return fired
  }
}

/**
 * The steps occur one directly after the other, among the events of interest. Every event may be the first of a row, so
 * several rows can be under way. No event is part of two firings.
 */
function firesOnRow(steps: readonly Step[]): Fire {
  let latest: ObservedEvent[] = []
  let lengths: readonly number[] = []
  return event => {
    latest.push(event)
    lengths = [0, ...lengths].flatMap(length => (steps[length]?.(event) === true ? [length + 1] : []))
    if (lengths.includes(steps.length)) {
      const fired = latest.slice(-steps.length)
      latest = []
      lengths = []
      return fired
    }
    if (latest.length >= steps.length) latest.shift()
    return undefined
  }
}
