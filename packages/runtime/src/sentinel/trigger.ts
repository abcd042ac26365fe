import type { PatternCompiler, SentinelCondition, SentinelConfig } from '../hank/index.ts'
import type { ObservedEvent } from './events.ts'

type TriggerConfig = SentinelConfig['trigger']
type Step = (event: ObservedEvent) => boolean
/** Those that made it fire, this one the last; undefined when it did not fire. */
type Fire = (event: ObservedEvent) => readonly ObservedEvent[] | undefined

/** What wakes a sentinel. Holds the progress of a sequence; otherwise pure. Never throws. */
export type Trigger = ReturnType<typeof createTrigger>

export function createTrigger(config: TriggerConfig, compile: PatternCompiler) {
  const types = wantedTypes(config)
  const wantsAll = types.has(anyType)
  return {
    /** The same text for triggers that want the same events. */
    interest: wantsAll ? anyType : [...types].sort().join(' '),
    /** Whether an event of this type can make a difference. */
    wants: (type: string): boolean => wantsAll || types.has(type),
    /** Every single event that it wants makes it fire. */
    isUnconditional: config.type === 'event' && (config.conditions ?? []).length === 0,
    /** Give it the events that it wants. */
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

/** Whether the data of an event is as a condition says. Never throws. */
type Test = (data: object) => boolean

/** All conditions together; none is always true. */
export function createTest(
  conditions: readonly SentinelCondition[] | undefined,
  compile: PatternCompiler,
): Test {
  const [first, ...others] = (conditions ?? []).map(condition => conditionTest(condition, compile))
  if (!first) return () => true
  // Nearly all have one condition, and every event of a run comes by here.
  return others.length === 0 ? first : data => first(data) && others.every(holds => holds(data))
}

function conditionTest(condition: SentinelCondition, compile: PatternCompiler): Test {
  const keys = condition.path.split('.')
  const holds = valueTest(condition, compile)
  // A path that leads nowhere cannot be equal to anything.
  const whenMissing = condition.operator === 'notEquals' || condition.operator === 'notIn'
  return data => {
    const value = valueAlong(data, keys)
    return value === undefined ? whenMissing : holds(value)
  }
}

function valueTest(condition: SentinelCondition, compile: PatternCompiler): (value: unknown) => boolean {
  switch (condition.operator) {
    case 'equals':
      return value => isSame(value, condition.value)
    case 'notEquals':
      return value => !isSame(value, condition.value)
    case 'in':
      return value => isAmong(value, condition.value)
    case 'notIn':
      return value => !isAmong(value, condition.value)
    case 'contains':
      return value => contains(value, condition.value)
    case 'matches': {
      const pattern = compile(condition.value)
      return value => typeof value === 'string' && pattern.ok && pattern.test(value)
    }
    case 'greaterThan':
      return value => typeof value === 'number' && value > condition.value
    case 'lessThan':
      return value => typeof value === 'number' && value < condition.value
  }
}

function isAmong(value: unknown, choices: readonly unknown[]): boolean {
  return choices.some(choice => isSame(value, choice))
}

/** A text contains a text, a list contains an item. Nothing else contains anything. */
function contains(value: unknown, wanted: unknown): boolean {
  if (typeof value === 'string') return typeof wanted === 'string' && value.includes(wanted)
  return Array.isArray(value) && isAmong(wanted, value)
}

/**
 * Sees only what the data itself holds, never what is inherited. Numbers lead into lists: `items.0.name`, and a list has
 * its `length`.
 */
function valueAlong(data: object, keys: readonly string[]): unknown {
  let value: unknown = data
  for (const key of keys) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = Reflect.get(value, key)
  }
  return value
}

/** Whether two JSON values are the same; the order of keys does not matter. */
function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  if (Array.isArray(one) !== Array.isArray(other)) return false
  const keys = Object.keys(one)
  return (
    keys.length === Object.keys(other).length &&
    keys.every(key => Object.hasOwn(other, key) && isSame(Reflect.get(one, key), Reflect.get(other, key)))
  )
}
