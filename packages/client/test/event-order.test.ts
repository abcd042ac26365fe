import { expect, test } from 'vitest'
import { createEventOrder } from '../src/event-order.ts'
import { sampleEvent } from './event-samples.ts'

function recordedOrder(options?: Parameters<typeof createEventOrder>[1]) {
  const seen: (number | undefined)[] = []
  const order = createEventOrder(event => seen.push(event.seq), options)
  const info = (seq: number) => sampleEvent('info', { message: '' }, { seq })
  return {
    seen,
    order,
    take: (seq: number) => order.take(info(seq), seq),
    advance: (seq: number) => order.advance(info(seq), seq),
  }
}

test('an event is delivered when its number is higher than all before, and dropped otherwise', () => {
  const { take, seen, order } = recordedOrder()
  for (const seq of [1, 2, 2, 1, 5, 4, 6]) take(seq)
  expect(seen).toEqual([1, 2, 5, 6])
  expect(order.lastSeq).toBe(6)
})

test('live events wait while the past is delivered', () => {
  const { take, advance, seen, order } = recordedOrder({ since: 2 })
  order.hold()
  take(6)
  take(7)
  for (const seq of [1, 2, 3, 4, 5, 6]) advance(seq)
  expect(seen).toEqual([3, 4, 5, 6])
  expect(order.release()).toBe(true)
  take(8)
  expect(seen).toEqual([3, 4, 5, 6, 7, 8])
})

test('too many waiting events are forgotten, said so once, and waiting goes on', () => {
  const { take, advance, seen, order } = recordedOrder({ cap: 3 })
  order.hold()
  for (const seq of [2, 3, 4, 5, 6]) take(seq)
  advance(1)
  expect(order.release()).toBe(false)
  take(7)
  for (const seq of [2, 3, 4, 5, 6]) advance(seq)
  expect(order.release()).toBe(true)
  expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7])
})

test('where a connection without history began is where the next one goes on', () => {
  const { take, seen, order } = recordedOrder()
  order.hold()
  order.startAfter(10)
  expect(order.release()).toBe(true)
  expect(order.lastSeq).toBe(10)
  take(10)
  expect(seen).toEqual([10])
  order.hold()
  take(9)
  order.release()
  expect(seen).toEqual([10])
})
