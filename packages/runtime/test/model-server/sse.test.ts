import fc from 'fast-check'
import { expect, test } from 'vitest'
import { pieces } from '../../src/model-server/dialects/dialect.ts'

test('pieces join to the whole text, are few, and cut no character in half', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('🙂', 'a', '\n'), maxLength: 600, size: 'max' }), text => {
      const cut = pieces(text)
      expect(cut.join('')).toBe(text)
      expect(cut.length).toBeGreaterThan(0)
      expect(cut.length).toBeLessThanOrEqual(50)
      expect(cut.every(piece => !brokenPair.test(piece))).toBe(true)
    }),
  )
})

const brokenPair = /\p{Cs}/u
