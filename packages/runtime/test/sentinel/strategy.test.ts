import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import type { SentinelConfig } from '../../src/hank/index.ts'
import { mostEvents } from '../../src/sentinel/event-batch.ts'
import { createStrategy } from '../../src/sentinel/strategy.ts'
import { event } from './observed-events.ts'

type Execution = SentinelConfig['execution']

interface Due {
  readonly at: number
  readonly firings: readonly number[]
}

const times = fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 20 }).map(gaps => {
  let now = 0
  return gaps.map(gap => {
    now += gap
    return now
  })
})

/** What comes out when the timer is as punctual as can be, and what is left at the end. */
function played(execution: Execution, moments: readonly number[]): readonly Due[] {
  const strategy = createStrategy(execution)
  const out: Due[] = []
  const keep = (batch: ReturnType<typeof strategy.take>, at: number) => {
    if (batch) out.push({ at, firings: batch.events.map(({ data }) => Number(Reflect.get(data, 'n'))) })
  }
  for (const [n, now] of moments.entries()) {
    const due = strategy.dueAt
    if (due !== undefined && due <= now) keep(strategy.take(), due)
    keep(strategy.add([event('info', { n })], now), now)
  }
  const last = strategy.dueAt
  if (last !== undefined) keep(strategy.take(), last)
  keep(strategy.take(), Number.POSITIVE_INFINITY)
  return out
}

/** The same by looking at the whole list at once. */
function naive(execution: Execution, moments: readonly number[]): readonly Due[] {
  const groups: { at: number; firings: number[] }[] = []
  for (const [n, now] of moments.entries()) {
    const group = groups.at(-1)
    switch (execution.strategy) {
      case 'immediate':
        groups.push({ at: now, firings: [n] })
        break
      case 'count':
        if (group && group.firings.length < execution.threshold) group.firings.push(n)
        else groups.push({ at: Number.POSITIVE_INFINITY, firings: [n] })
        if (groups.at(-1)?.firings.length === execution.threshold)
          Object.assign(groups.at(-1) ?? {}, { at: now })
        break
      case 'debounce':
        if (group && now < group.at) group.firings.push(n)
        else groups.push({ at: 0, firings: [n] })
        Object.assign(groups.at(-1) ?? {}, { at: now + execution.milliseconds })
        break
      case 'timeWindow':
        if (group && now < group.at) group.firings.push(n)
        else groups.push({ at: now + execution.milliseconds, firings: [n] })
        break
    }
  }
  return groups
}

function agrees(execution: fc.Arbitrary<Execution>): void {
  fc.assert(
    fc.property(execution, times, (given, moments) => {
      expect(played(given, moments)).toEqual(naive(given, moments))
    }),
    { numRuns: 200 },
  )
}

const milliseconds = fc.integer({ min: 1, max: 60 })

describe('a strategy', () => {
  verifies(['d10/execution-immediate'], 'immediate goes to work on each firing by itself', () =>
    agrees(fc.constant({ strategy: 'immediate' })),
  )

  test('count waits for so many firings', () =>
    agrees(fc.integer({ min: 1, max: 5 }).map(threshold => ({ strategy: 'count', threshold }))))

  test('debounce waits until nothing has fired for so long', () =>
    agrees(milliseconds.map(ms => ({ strategy: 'debounce', milliseconds: ms }))))

  test('timeWindow collects for so long from the first firing on', () =>
    agrees(milliseconds.map(ms => ({ strategy: 'timeWindow', milliseconds: ms }))))

  test('gives the same batches when several events are taken in at once', () => {
    const execution: fc.Arbitrary<Execution> = fc.oneof(
      fc.constant({ strategy: 'immediate' as const }),
      fc.record({ strategy: fc.constant('count' as const), threshold: fc.integer({ min: 1, max: 6 }) }),
      fc.record({ strategy: fc.constantFrom('debounce' as const, 'timeWindow' as const), milliseconds }),
    )
    const inPieces = (given: Execution, moments: readonly number[], most: number) => {
      const strategy = createStrategy(given)
      const counts: (number | undefined)[] = []
      for (let at = 0; at < moments.length; at += most) {
        const piece = moments.slice(at, at + most)
        const events = piece.map(n => event('info', { n }))
        if (most > 1 && strategy.addQuietly({ events, times: piece, weight: 0 })) continue
        for (const [n, one] of events.entries()) counts.push(strategy.add([one], piece[n] ?? 0)?.eventCount)
      }
      counts.push(strategy.take()?.eventCount)
      return counts.filter(count => count !== undefined)
    }
    fc.assert(
      fc.property(execution, times, fc.integer({ min: 2, max: 8 }), (given, moments, most) => {
        expect(inPieces(given, moments, most)).toEqual(inPieces(given, moments, 1))
      }),
      { numRuns: 500 },
    )
  })

  test('gives the same batches when the timer is late', () => {
    const late = (execution: Execution, moments: readonly number[]) => {
      const strategy = createStrategy(execution)
      const batches = moments.map((now, n) => strategy.add([event('info', { n })], now))
      return [...batches, strategy.take()].flatMap(batch => (batch ? [batch.eventCount] : []))
    }
    fc.assert(
      fc.property(milliseconds, times, fc.boolean(), (ms, moments, isDebounce) => {
        const execution: Execution = { strategy: isDebounce ? 'debounce' : 'timeWindow', milliseconds: ms }
        expect(late(execution, moments)).toEqual(
          naive(execution, moments).map(({ firings }) => firings.length),
        )
      }),
      { numRuns: 200 },
    )
  })

  test('counts firings, not events: a sequence brings several at once', () => {
    const strategy = createStrategy({ strategy: 'count', threshold: 2 })
    expect(strategy.add([event('info'), event('info')], 0)).toBeUndefined()
    expect(strategy.add([event('info'), event('info')], 0)?.eventCount).toBe(4)
  })

  test('left open for ever holds the newest events only, and still counts all', () => {
    const strategy = createStrategy({ strategy: 'debounce', milliseconds: 300_000 })
    const total = mostEvents * 3 + 7
    for (let n = 0; n < total; n++) strategy.add([event('info', { n })], 0)
    const batch = strategy.take()
    expect(batch?.eventCount).toBe(total)
    expect(batch?.events).toHaveLength(mostEvents)
    expect(batch?.events.at(-1)?.data).toEqual({ n: total - 1 })
    expect(batch?.events[0]?.data).toEqual({ n: total - mostEvents })
  })

  test('left open does not hold many large events either, but always the newest', () => {
    const strategy = createStrategy({ strategy: 'timeWindow', milliseconds: 300_000 })
    const content = 'x'.repeat(3_000_000)
    for (let n = 0; n < 9; n++) strategy.add([event('file.updated', { n, content })], 0)
    expect(strategy.take()?.events.map(({ data }) => Reflect.get(data, 'n'))).toEqual([7, 8])
    strategy.add([event('file.updated', { content: 'x'.repeat(9_000_000) })], 0)
    expect(strategy.take()?.events).toHaveLength(1)
  })
})
