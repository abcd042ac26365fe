import type { PatternCompiler, SentinelCondition } from '../hank/index.ts'

/** Whether the data of an event is as a condition says. Never throws. */
export type Test = (data: object) => boolean

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
