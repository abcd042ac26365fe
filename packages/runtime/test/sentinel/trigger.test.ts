import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { loadPatterns, type SentinelConfig } from '../../src/hank/index.ts'
import type { ObservedEvent } from '../../src/sentinel/events.ts'
import { createTest, createTrigger } from '../../src/sentinel/trigger.ts'
import { condition, event, observed, types } from './observed-events.ts'

type TriggerConfig = SentinelConfig['trigger']
type Sequence = TriggerConfig & { readonly type: 'sequence' }

const compile = await loadPatterns()
const on = fc.uniqueArray(fc.constantFrom(...types, '*', 'sentinel.output'), { minLength: 1, maxLength: 3 })
const conditions = fc.option(fc.array(condition, { maxLength: 1 }), { nil: undefined })

function firings(
  config: TriggerConfig,
  events: readonly ObservedEvent[],
): readonly (readonly ObservedEvent[])[] {
  const trigger = createTrigger(config, compile)
  return events.flatMap(one => {
    const fired = trigger.wants(one.type) ? trigger.feed(one) : undefined
    return fired ? [fired] : []
  })
}

const isOfInterest = (wanted: readonly string[], { type }: ObservedEvent) =>
  wanted.includes('*') || wanted.includes(type)

describe('an event trigger', () => {
  verifies(
    ['d10/trigger-event', 'd10/trigger-event-all'],
    'fires on each event that it lists, if all conditions hold',
    () => {
      fc.assert(
        fc.property(on, conditions, fc.array(observed, { maxLength: 12 }), (wanted, given, events) => {
          const config = { type: 'event', on: wanted, ...(given && { conditions: given }) } as const
          const holds = createTest(given, compile)
          const expected = events
            .filter(one => isOfInterest(wanted, one) && holds(one.data))
            .map(one => [one])
          expect(firings(config, events)).toEqual(expected)
        }),
        { numRuns: 500 },
      )
    },
  )
})

const steps = fc.array(
  fc.record({
    type: fc.constantFrom(...types, '*'),
    conditions: fc.option(fc.array(condition, { maxLength: 1 }), { nil: undefined }),
  }),
  { minLength: 1, maxLength: 4 },
)
const sequence = fc.record({ on, steps, consecutive: fc.boolean() }).map(
  ({ on: wanted, steps: pattern, consecutive }): Sequence => ({
    type: 'sequence',
    interestFilter: { on: wanted },
    pattern: pattern.map(({ type, conditions: given }) => ({ type, ...(given && { conditions: given }) })),
    options: { consecutive },
  }),
)

/** Whether the pattern ends with the last of these events, by trying every choice of events for its steps. */
function occurs({ pattern, options }: Sequence, events: readonly ObservedEvent[]): boolean {
  const fits = (step: number, at: number): boolean => {
    const one = events[at]
    const wanted = pattern[step]
    if (!one || !wanted) return false
    return (
      (wanted.type === '*' || wanted.type === one.type) && createTest(wanted.conditions, compile)(one.data)
    )
  }
  const from = (step: number, at: number): boolean => {
    if (!fits(step, at)) return false
    if (step === 0) return true
    const earlier = options.consecutive
      ? [at - 1]
      : events.map((_, index) => index).filter(index => index < at)
    return earlier.some(index => from(step - 1, index))
  }
  return from(pattern.length - 1, events.length - 1)
}

describe('a sequence trigger', () => {
  verifies(
    ['d10/trigger-sequence'],
    'fires at the first moment at which its pattern has occurred among the events of interest, then begins anew',
    () => {
      fc.assert(
        fc.property(sequence, fc.array(observed, { maxLength: 14 }), (config, events) => {
          const trigger = createTrigger(config, compile)
          let since: ObservedEvent[] = []
          for (const one of events) {
            if (isOfInterest(config.interestFilter.on, one)) since.push(one)
            else expect(trigger.wants(one.type)).toBe(false)
            const fired = trigger.wants(one.type) ? trigger.feed(one) : undefined
            if (since.at(-1) !== one) continue
            expect(fired !== undefined).toBe(occurs(config, since))
            if (!fired) continue
            expect(fired).toHaveLength(config.pattern.length)
            expect(fired.at(-1)).toBe(one)
            const places = fired.map(each => since.indexOf(each))
            expect(places).toEqual([...places].sort((a, b) => a - b))
            if (config.options.consecutive) expect(fired).toEqual(since.slice(-fired.length))
            since = []
          }
        }),
        { numRuns: 500 },
      )
    },
  )

  const pattern = [{ type: 'tool.result' }, { type: 'info' }]
  const all = { on: ['*'] }

  test('that is consecutive lets nothing of interest come in between', () => {
    const events = [event('tool.result'), event('token.usage'), event('info')]
    const config: Sequence = {
      type: 'sequence',
      interestFilter: all,
      pattern,
      options: { consecutive: true },
    }
    expect(firings(config, events)).toEqual([])
    const narrow = { ...config, interestFilter: { on: ['tool.result', 'info'] } }
    expect(firings(narrow, events)).toEqual([[events[0], events[2]]])
    expect(firings({ ...config, options: { consecutive: false } }, events)).toEqual([[events[0], events[2]]])
  })

  test('that is consecutive finds a row that begins inside another one that came to nothing', () => {
    const twice = [{ type: 'info' }, { type: 'info' }, { type: 'tool.result' }]
    const config: Sequence = {
      type: 'sequence',
      interestFilter: all,
      pattern: twice,
      options: { consecutive: true },
    }
    const events = [event('info'), event('info'), event('info'), event('tool.result')]
    expect(firings(config, events)).toEqual([events.slice(1)])
  })
})
