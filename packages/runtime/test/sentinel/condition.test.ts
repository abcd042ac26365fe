import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { loadPatterns, type SentinelCondition } from '../../src/hank/index.ts'
import { createTest } from '../../src/sentinel/trigger.ts'
import { condition, data } from './observed-events.ts'

const compile = await loadPatterns()
const missing = Symbol('missing')

/** The rules of decisions 10 once more, as slowly and plainly as they are written there. */
function naive({ operator, path, value }: SentinelCondition, given: object): boolean {
  const found = path.split('.').reduce<unknown>((current, key) => {
    if (Array.isArray(current) && key === 'length') return current.length
    const entries = typeof current === 'object' && current !== null ? Object.entries(current) : []
    const entry = entries.find(([name]) => name === key)
    return entry ? entry[1] : missing
  }, given)
  const equal = (one: unknown, other: unknown) => sorted(one) === sorted(other)
  switch (operator) {
    case 'equals':
      return found !== missing && equal(found, value)
    case 'notEquals':
      return found === missing || !equal(found, value)
    case 'in':
      return found !== missing && value.some(one => equal(found, one))
    case 'notIn':
      return found === missing || !value.some(one => equal(found, one))
    case 'contains':
      if (Array.isArray(found)) return found.some(one => equal(one, value))
      return typeof found === 'string' && typeof value === 'string' && found.includes(value)
    case 'matches':
      return typeof found === 'string' && new RegExp(value).test(found)
    case 'greaterThan':
      return typeof found === 'number' && found > value
    case 'lessThan':
      return typeof found === 'number' && found < value
  }
}

function sorted(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  )
}

const holds = (one: SentinelCondition, given: object) => createTest([one], compile)(given)

describe('a condition', () => {
  test('does what a plain reading of its operator says, on any data', () => {
    fc.assert(
      fc.property(condition, data, (one, given) => {
        expect({ one, given, holds: holds(one, given) }).toEqual({ one, given, holds: naive(one, given) })
      }),
      { numRuns: 2_000 },
    )
  })

  verifies(['d10/condition-shape'], 'looks at a dotted path into the data, also into lists', () => {
    const given = { tool: { calls: [{ name: 'Bash' }] } }
    expect(holds({ operator: 'equals', path: 'tool.calls.0.name', value: 'Bash' }, given)).toBe(true)
    expect(holds({ operator: 'equals', path: 'tool.calls.1.name', value: 'Bash' }, given)).toBe(false)
    expect(holds({ operator: 'equals', path: 'tool.calls', value: [{ name: 'Bash' }] }, given)).toBe(true)
  })

  verifies(
    ['d10/condition-missing-path'],
    'on a path that leads nowhere is true for two operators only',
    () => {
      const all: readonly SentinelCondition[] = [
        { operator: 'equals', path: 'a.b', value: undefined },
        { operator: 'notEquals', path: 'a.b', value: 1 },
        { operator: 'in', path: 'a.b', value: [undefined] },
        { operator: 'notIn', path: 'a.b', value: [1] },
        { operator: 'contains', path: 'a.b', value: '' },
        { operator: 'matches', path: 'a.b', value: '' },
        { operator: 'greaterThan', path: 'a.b', value: -1 },
        { operator: 'lessThan', path: 'a.b', value: 1 },
      ]
      for (const given of [{}, { a: null }, { a: 1 }, { a: 'b' }]) {
        const fine = all.filter(one => holds(one, given)).map(({ operator }) => operator)
        expect(fine).toEqual(['notEquals', 'notIn'])
      }
    },
  )

  test('does not see what data inherits', () => {
    for (const path of ['constructor', '__proto__', 'a.constructor.name', 'toString', 'a.length'])
      expect(holds({ operator: 'notEquals', path, value: null }, { a: {} })).toBe(true)
    expect(holds({ operator: 'equals', path: 'constructor.name', value: 'Object' }, {})).toBe(false)
  })

  test('holds together with the others, and none is always true', () => {
    const one: SentinelCondition = { operator: 'equals', path: 'a', value: 1 }
    const other: SentinelCondition = { operator: 'equals', path: 'b', value: 2 }
    const both = createTest([one, other], compile)
    expect([both({ a: 1, b: 2 }), both({ a: 1 }), both({ b: 2 })]).toEqual([true, false, false])
    expect([createTest(undefined, compile)({}), createTest([], compile)({})]).toEqual([true, true])
  })
})
