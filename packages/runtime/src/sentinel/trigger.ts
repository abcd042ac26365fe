import type { PatternCompiler, SentinelConfig } from '../hank/index.ts'
import { createTest } from './condition.ts'
import type { ObservedEvent } from './observed.ts'

/** What wakes a sentinel. Holds the progress of a sequence; otherwise pure. Never throws. */
export interface Trigger {
  /** The same text for triggers that want the same events. */
  readonly interest: string
  /** Whether an event of this type can make a difference. */
  wants(type: string): boolean
  /** Every single event that it wants makes it fire. */
  readonly isUnconditional: boolean
  /** Give it the events that it wants: those that made it fire, this one the last; undefined when it did not fire. */
  feed(event: ObservedEvent): readonly ObservedEvent[] | undefined
}

type TriggerConfig = SentinelConfig['trigger']
type Step = (event: ObservedEvent) => boolean

export function createTrigger(config: TriggerConfig, compile: PatternCompiler): Trigger {
  const types = wantedTypes(config)
  const wantsAll = types.has(anyType)
  return {
    interest: wantsAll ? anyType : [...types].sort().join(' '),
    wants: type => wantsAll || types.has(type),
    isUnconditional: config.type === 'event' && isEmpty(config.conditions),
    feed: config.type === 'event' ? firesOnEvent(config, compile) : firesOnSequence(config, compile),
  }
}

const anyType = '*'

function wantedTypes(config: TriggerConfig): ReadonlySet<string> {
  if (config.type === 'event') return new Set(config.on)
  const interest = new Set(config.interestFilter.on)
  if (config.options.consecutive) return interest
  // Whatever comes between the steps changes nothing.
  const steps = new Set(config.pattern.map(({ type }) => type))
  if (steps.has(anyType)) return interest
  return interest.has(anyType) ? steps : new Set([...steps].filter(type => interest.has(type)))
}

function isEmpty(list: readonly unknown[] | undefined): boolean {
  return list === undefined || list.length === 0
}

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
  /** How many steps each row has come. */
  const rows: number[] = []
  return event => {
    rows.push(0)
    let under = 0
    for (const length of rows) if (steps[length]?.(event) === true) rows[under++] = length + 1
    rows.length = under
    if (under === 0) {
      if (latest.length > 0) latest = []
      return undefined
    }
    latest.push(event)
    if (rows.includes(steps.length)) {
      const fired = latest.slice(-steps.length)
      latest = []
      rows.length = 0
      return fired
    }
    if (latest.length >= steps.length) latest.shift()
    return undefined
  }
}
