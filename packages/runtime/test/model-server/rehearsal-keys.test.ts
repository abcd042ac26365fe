import fc from 'fast-check'
import { expect, test } from 'vitest'
import { codonKey, nobodysKey, ownerOf, sentinelKey } from '../../src/model-server/rehearsal.ts'

// Ids come from JSON, which may hold half a pair of surrogates.
const ids = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1 }),
  fc.string({ unit: 'grapheme', minLength: 1 }),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 1 }).map(units => String.fromCharCode(...units)),
  fc.constantFrom('sentinel-a', 'sentinel-', '%73entinel-a', '%', '%u1234', 'a b', '-', 'ümlaut#3'),
)

test('plain ids stand in a key as they are', () => {
  expect(codonKey('review#1')).toBe('rehearsal-review#1')
  expect(sentinelKey('narrator')).toBe('rehearsal-sentinel-narrator')
})

test('every id comes back from its key, which fits into a header', () => {
  fc.assert(
    fc.property(ids, id => {
      expect(codonKey(id)).toMatch(/^[!-~]+$/)
      expect(ownerOf(codonKey(id))).toEqual({ kind: 'codon', id })
      expect(ownerOf(sentinelKey(id))).toEqual({ kind: 'sentinel', id })
    }),
    { numRuns: 500 },
  )
})

test('a codon is never taken for a sentinel', () => {
  expect(codonKey('sentinel-narrator')).not.toBe(sentinelKey('narrator'))
})

test('other keys belong to nobody or to a stranger', () => {
  expect(ownerOf(nobodysKey)).toEqual({ kind: 'nobody' })
  expect(ownerOf('sk-something')).toEqual({ kind: 'stranger' })
})
