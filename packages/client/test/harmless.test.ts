import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cut, harmless, harmlessJson, harmlessLine } from '../src/harmless.ts'

const shownAs: readonly (readonly [text: string, shown: string])[] = [
  ['plain text\n\twith lines', 'plain text\n\twith lines'],
  ['Grüße, 世界, مرحبا, e\u0301 ✅ 👍', 'Grüße, 世界, مرحبا, e\u0301 ✅ 👍'],
  ['\x1b[31mred\x1b[0m', '\\u{1b}[31mred\\u{1b}[0m'],
  ['\x9b2J', '\\u{9b}2J'],
  ['a\rb', 'a\\u{d}b'],
  ['bell\x07 back\b del\x7f nul\0', 'bell\\u{7} back\\u{8} del\\u{7f} nul\\u{0}'],
  ['zero\u200bwidth\u200d\ufeff\u2060', 'zero\\u{200b}width\\u{200d}\\u{feff}\\u{2060}'],
  ['bidi \u202e\u2066\u200f\u061c', 'bidi \\u{202e}\\u{2066}\\u{200f}\\u{61c}'],
  ['tags \u{e0041}\u{e007f}\u{e0100}', 'tags \\u{e0041}\\u{e007f}\\u{e0100}'],
  ['lines\u2028\u2029', 'lines\\u{2028}\\u{2029}'],
  ['fillers \u3164\u115f\u034f', 'fillers \\u{3164}\\u{115f}\\u{34f}'],
  ['lone \ud800 surrogate', 'lone \\u{d800} surrogate'],
  [
    'careful ⚠\ufe0f but not a\ufe0f or ⚠\ufe0f\ufe0f',
    'careful ⚠\ufe0f but not a\\u{fe0f} or ⚠\ufe0f\\u{fe0f}',
  ],
]

// Titles have only the harmless half: they are printed.
test.each(shownAs.map(([text, shown]) => [shown, text] as const))('%j is shown', (shown, text) => {
  expect(harmless(text)).toBe(shown)
})

const unprintable = /(?![\n\t])[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|(?!\uFE0F)[\p{Cf}\p{Default_Ignorable_Code_Point}]/u

test('any text at all becomes printable, and stays as it is the second time', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), text => {
      const shown = harmless(text)
      expect(shown).not.toMatch(unprintable)
      expect(harmless(shown)).toBe(shown)
    }),
    { numRuns: 500 },
  )
})

test('every character alone is shown as it is, or spelled out when nobody would see it', () => {
  const wrong: string[] = []
  for (let code = 0; code <= 0x10_ff_ff; code++) {
    const text = String.fromCodePoint(code)
    const isHidden = unprintable.test(text) || text === '\uFE0F' || /\p{Noncharacter_Code_Point}/u.test(text)
    if ((harmless(text) !== text) !== isHidden) wrong.push(code.toString(16))
  }
  expect(wrong).toEqual([])
})

test('a line has no line breaks and no more characters than allowed', () => {
  expect(harmlessLine('  two\n\n  lines\t\x1b ')).toBe('two lines \\u{1b}')
  expect(harmlessLine('x'.repeat(1000), 10)).toBe(`${'x'.repeat(9)}…`)
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 50 }), (text, max) => {
      const line = harmlessLine(text, max)
      expect(line.length).toBeLessThanOrEqual(max)
      expect(line).not.toMatch(/[\n\r\t]|\p{Cs}/u)
    }),
  )
})

test('cutting never leaves half a character', () => {
  expect(cut('ab😀cd', 4)).toBe('ab…')
  expect(cut('ab😀cd', 5)).toBe('ab😀…')
  expect(cut('abcd', 4)).toBe('abcd')
})

test('JSON stays the same JSON and becomes printable', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), value => {
      for (const json of [JSON.stringify(value), JSON.stringify(value, null, 2)]) {
        expect(harmlessJson(json)).not.toMatch(unprintable)
        expect(JSON.parse(harmlessJson(json))).toEqual(JSON.parse(json))
      }
    }),
    { numRuns: 500 },
  )
  expect(harmlessJson('"\x9b \u{e0041} ü"')).toBe('"\\u009b \\udb40\\udc41 ü"')
})
