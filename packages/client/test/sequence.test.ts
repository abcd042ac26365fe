import { expect, test } from 'vitest'
import { createSequence } from '../src/sequence.ts'
import { sampleEvent } from './event-samples.ts'

function recordedSequence(options?: Parameters<typeof createSequence>[1]) {
  const seen: (number | undefined)[] = []
  const sequence = createSequence(event => seen.push(event.seq), options)
  const info = (seq: number) => sampleEvent('info', { message: '' }, { seq })
  return {
    seen,
    sequence,
    take: (seq: number) => sequence.take(info(seq), seq),
    advance: (seq: number) => sequence.advance(info(seq), seq),
  }
}

test('an event is delivered when its number is higher than all before, and dropped otherwise', () => {
  const { take, seen, sequence } = recordedSequence()
  for (const seq of [1, 2, 2, 1, 5, 4, 6]) take(seq)
  expect(seen).toEqual([1, 2, 5, 6])
  expect(sequence.lastSeq).toBe(6)
})

test('live events wait while the past is delivered', () => {
  const { take, advance, seen, sequence } = recordedSequence({ since: 2 })
  sequence.hold()
  take(6)
  take(7)
  for (const seq of [1, 2, 3, 4, 5, 6]) advance(seq)
  expect(seen).toEqual([3, 4, 5, 6])
  expect(sequence.release()).toBe(true)
  take(8)
  expect(seen).toEqual([3, 4, 5, 6, 7, 8])
})

test('too many waiting events are forgotten, said so once, and waiting goes on', () => {
  const { take, advance, seen, sequence } = recordedSequence({ cap: 3 })
  sequence.hold()
  for (const seq of [2, 3, 4, 5, 6]) take(seq)
  advance(1)
  expect(sequence.release()).toBe(false)
  take(7)
  for (const seq of [2, 3, 4, 5, 6]) advance(seq)
  expect(sequence.release()).toBe(true)
  expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7])
})

test('where a connection without history began is where the next one goes on', () => {
  const { take, seen, sequence } = recordedSequence()
  sequence.hold()
  sequence.startAfter(10)
  expect(sequence.release()).toBe(true)
  expect(sequence.lastSeq).toBe(10)
  take(10)
  expect(seen).toEqual([10])
  sequence.hold()
  take(9)
  sequence.release()
  expect(seen).toEqual([10])
})
