import fc from 'fast-check'
import type { SentinelCondition } from '../../src/hank/index.ts'
import type { ObservedEvent } from '../../src/sentinel/events.ts'

let count = 0

export function event(type: string, data: object = {}): ObservedEvent {
  count++
  return { id: `evt_${count}`, seq: count, type, timestamp: '2026-01-01T00:00:00.000Z', data }
}

export const types = ['info', 'tool.result', 'token.usage'] as const

/** Few keys and few values, so that paths are often there, often missing, and often lead to what is asked for. */
const key = fc.constantFrom('a', 'b', '0')
const value: fc.Arbitrary<unknown> = fc.letrec(tie => ({
  any: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<unknown>('', 'x', 'xy', 'ax', 0, 1, 2, true, null),
    fc.array(tie('any'), { maxLength: 2 }),
    fc.dictionary(key, tie('any'), { maxKeys: 2 }),
  ),
})).any

export const data = fc.dictionary(key, value, { maxKeys: 3 })

const path = fc
  .array(fc.oneof(key, fc.constant('length')), { minLength: 1, maxLength: 3 })
  .map(keys => keys.join('.'))

export const condition: fc.Arbitrary<SentinelCondition> = fc.oneof(
  fc.record({
    operator: fc.constantFrom('equals' as const, 'notEquals' as const, 'contains' as const),
    path,
    value,
  }),
  fc.record({
    operator: fc.constantFrom('in' as const, 'notIn' as const),
    path,
    value: fc.array(value, { minLength: 1, maxLength: 3 }),
  }),
  fc.record({
    operator: fc.constant('matches' as const),
    path,
    value: fc.constantFrom('^x', 'y$', 'a|b', ''),
  }),
  fc.record({
    operator: fc.constantFrom('greaterThan' as const, 'lessThan' as const),
    path,
    value: fc.constantFrom(0, 1, 1.5),
  }),
)

export const observed = fc
  .record({ type: fc.constantFrom(...types, 'sentinel.output'), data })
  .map(({ type, data: given }) => event(type, given))
