import { describe, expect, test } from 'vitest'
import { createTestClock } from '../../../../test/support/test-clock.ts'
import type { Posted } from '../../src/otel/index.ts'
import { createFold } from '../../src/otel/index.ts'
import { queueLimits, SpanQueue } from '../../src/otel/queue.ts'
import { longStory } from './story.ts'

const fold = createFold({ executionId: 'evt_1', names: '1.41', content: 'none', rehearsal: false })
const spans = longStory().events.flatMap(event => fold.add(event))

/** A queue to a collector that answers in this order, then takes everything. */
function queueTo(answers: readonly Posted[], limits = { waiting: 100, batch: 4, delay: 1_000 }) {
  const rest = [...answers]
  const seen = { posts: [] as number[], taken: 0, lost: [] as string[] }
  const clock = createTestClock()
  const queue = new SpanQueue({
    limits,
    clock,
    async post(batch) {
      seen.posts.push(batch.length)
      return rest.shift() ?? { ok: true, rejected: 0 }
    },
    taken: batch => {
      seen.taken += batch.length
    },
    lost: (count, why) => void seen.lost.push(`${count}: ${why}`),
  })
  return { queue, seen, clock }
}

describe('spans on their way', () => {
  test('go in batches, the last one when all is flushed', async () => {
    const { queue, seen } = queueTo([])
    queue.offer(spans.slice(0, 10))
    await queue.flush(1_000)
    expect(seen).toEqual({ posts: [4, 4, 2], taken: 10, lost: [] })
  })

  test('are lost when the collector will never take them, and nothing counts as taken from then on', async () => {
    const { queue, seen } = queueTo([{ ok: false, status: 400, message: 'what?', retriable: false }])
    queue.offer(spans.slice(0, 6))
    await queue.flush(1_000)
    expect(seen.lost).toEqual(['4: the collector answered 400: what?'])
    expect(seen.taken).toBe(0)
  })

  test('wait for a collector that may come back, and are lost at the end when it does not', async () => {
    const busy = { ok: false, status: 503, message: 'busy', retriable: true } as const
    const { queue, seen } = queueTo([busy, busy, busy])
    queue.offer(spans.slice(0, 4))
    await queue.flush(1_000)
    expect(seen.lost).toEqual(['4: the collector answered 503: busy'])
    expect(seen.taken).toBe(0)
  })

  test('are lost when too many are waiting', async () => {
    const { queue, seen } = queueTo([], { waiting: 5, batch: 5, delay: 1_000 })
    queue.offer(spans.slice(0, 8))
    await queue.flush(1_000)
    expect(seen.lost).toEqual(['3: too many are waiting'])
    expect(seen.posts).toEqual([5])
  })

  test('wait as the standard variables say', () => {
    expect(queueLimits({})).toEqual({ waiting: 2_048, batch: 512, delay: 5_000 })
    const environment = { OTEL_BSP_MAX_QUEUE_SIZE: '10', OTEL_BSP_SCHEDULE_DELAY: 'soon' }
    expect(queueLimits(environment)).toEqual({ waiting: 10, batch: 10, delay: 5_000 })
  })
})
