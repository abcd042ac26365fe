import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { clipped, displayWidth, wrapped } from '../../src/terminal/width.ts'

const text = fc.string({
  unit: fc.constantFrom('a', 'B', ' ', '日', '本', 'é', '🙂', '-', 'e\u0301'),
  maxLength: 60,
})

describe('width', () => {
  it('counts wide characters twice and marks not at all', () => {
    expect(displayWidth('abc')).toBe(3)
    expect(displayWidth('日本')).toBe(4)
    expect(displayWidth('e\u0301')).toBe(1)
    expect(displayWidth('🙂')).toBe(2)
    expect(displayWidth('')).toBe(0)
  })

  it('never cuts to more than the room there is, and keeps what fits', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 0, max: 30 }), (whole, width) => {
        const part = clipped(whole, width)
        expect(displayWidth(part)).toBeLessThanOrEqual(width)
        if (displayWidth(whole) <= width) expect(part).toBe(whole)
        else if (width > 0) expect(part.endsWith('…')).toBe(true)
      }),
    )
  })

  it('wraps without losing anything but spaces, and no line is too long', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 2, max: 30 }), (whole, width) => {
        const lines = wrapped(whole, width)
        expect(lines.length).toBeGreaterThan(0)
        for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(width)
        expect(lines.join('').replaceAll(' ', '')).toBe(whole.replaceAll(' ', ''))
      }),
    )
  })

  it('breaks at spaces, keeps an indentation, and breaks long words where they end', () => {
    expect(wrapped('one two three', 8)).toEqual(['one two', 'three'])
    expect(wrapped('    abcdefgh', 8)).toEqual(['    abcd', 'efgh'])
    expect(wrapped('abcdefghij', 4)).toEqual(['abcd', 'efgh', 'ij'])
    expect(wrapped('a\n\nb', 4)).toEqual(['a', '', 'b'])
    expect(wrapped('x '.repeat(100_000), 10, 3)).toHaveLength(3)
  })

  it('takes a character that is wider than the room as it is', () => {
    expect(wrapped('日本', 1)).toEqual(['日', '本'])
  })
})
