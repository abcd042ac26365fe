import fc from 'fast-check'
import { expect, test } from 'vitest'
import { appended, emptyRing, pushed, type Ring, ringItems } from '../src/ring.ts'

test('a ring keeps the newest items in order, at most its cap and nearly all of it', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1500 }), fc.integer({ min: 64, max: 500 }), (count, cap) => {
      const all = Array.from({ length: count }, (_, index) => index)
      const ring = all.reduce((before: Ring<number>, item) => pushed(before, item, cap), emptyRing)
      expect(ring.size).toBeLessThanOrEqual(cap)
      expect(ring.size).toBeGreaterThan(Math.min(count, cap - 64) - 1)
      expect(ring.size + ring.dropped).toBe(count)
      expect(ringItems(ring)).toEqual(all.slice(count - ring.size))
      expect(ringItems(ring, 10)).toEqual(all.slice(count - Math.min(10, ring.size)))
    }),
    { numRuns: 40 },
  )
})

test('pushing leaves the ring before as it was', () => {
  const one = pushed<string>(emptyRing, 'a', 100)
  const two = pushed(one, 'b', 100)
  const other = pushed(one, 'c', 100)
  expect([one, two, other].map(ring => ringItems(ring))).toEqual([['a'], ['a', 'b'], ['a', 'c']])
})

test('asking for no items gives none', () => {
  expect(ringItems(pushed<string>(emptyRing, 'a', 100), 0)).toEqual([])
})

test('a capped array lets its oldest item go', () => {
  expect(appended([1, 2, 3], 4, 3)).toEqual([2, 3, 4])
  expect(appended([1, 2], 3, 3)).toEqual([1, 2, 3])
})
