import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { loadPatterns } from '../../src/hank/index.ts'
import { startEffort } from '../../src/sentinel/sandbox-job.ts'

const compile = await loadPatterns()

function found(pattern: string, text: string): boolean {
  const compiled = compile(pattern)
  if (!compiled.ok) throw new Error(compiled.message)
  return compiled.test(text)
}

/** Without any order that an engine could make use of, and the same every time. */
function letters(count: number): string {
  let state = 1
  const next = () => {
    state = (state * 48_271) % 2_147_483_647
    return state % 2 === 0 ? 'a' : 'b'
  }
  return Array.from({ length: count }, next).join('')
}

describe('a pattern', () => {
  test('is found anywhere in a text, as in JavaScript', () => {
    const cases: readonly (readonly [string, string])[] = [
      ['^ok$', 'ok'],
      ['err(or)?', 'an error'],
      ['(?<name>\\d+)\\u0041', '12A'],
      ['\\/src\\/\\w+\\.ts$', 'in /src/main.ts'],
      ['[^]', '\n'],
      ['\\bfoo\\b', 'a foo b'],
      ['(?i)ERROR', 'error'],
      ['é+', 'éé'],
      ['(?:a|b){2,3}c', 'abc'],
    ]
    for (const [pattern, text] of cases)
      expect({ pattern, found: found(pattern, text) }).toEqual({ pattern, found: true })
    expect(found('^ok$', 'not ok')).toBe(false)
  })

  verifies(
    ['d10/condition-matches-bounded'],
    'cannot hang, whatever it is and whatever it is tried on',
    () => {
      const long = 'a'.repeat(1 << 20)
      const hostile: readonly (readonly [string, string])[] = [
        ['(a+)+$', `${long}b`],
        ['(a|aa)+$', `${long}b`],
        ['(a|b)*a(a|b){15}$', letters(1 << 18)],
        ['(a|b)*a(a|b){300}c', `cc${letters(1 << 18)}`],
        ['(a?){200}b$', `b${long}`],
        ['(x+x+)+y$', `y${'x'.repeat(1 << 20)}`],
        ['(.*)(.*)(.*)(.*)(.*)(.*)(.*)(.*)x$', `x${long}b`],
        ['(?i)(error|failed)', 'erro fail '.repeat(1 << 17)],
      ]
      for (const [pattern, text] of hostile) {
        const effort = startEffort()
        found(pattern, text)
        expect({ pattern, isQuick: effort() < 1_500 }).toEqual({ pattern, isQuick: true })
      }
    },
  )

  test('that is none, looks around, points back or repeats too much is refused with the reason', () => {
    const why = (pattern: string) => {
      const compiled = compile(pattern)
      return compiled.ok ? 'fine' : compiled.message
    }
    expect(why('(')).toBe('is not a valid regular expression: missing closing ): `(`')
    expect(why('(?=x)y')).toContain('looking around and back references do not exist here')
    expect(why('(a)\\1')).toContain('looking around and back references do not exist here')
    expect(why('a{1000}'.repeat(100))).toBe('the pattern repeats too much; use smaller counts')
    expect(why('(a{600}){600}')).toBe('the pattern repeats too much; use smaller counts')
    expect(why('(a|b){900}')).toBe('the pattern repeats too much; use smaller counts')
    expect(why('a'.repeat(1001))).toBe('the pattern is longer than 1000 characters')
  })

  test('of ordinary size sees a whole tool result', () => {
    expect(found('end$', `${'x'.repeat(8_000)}end`)).toBe(true)
    expect(found('(error|failed|exception|panic)[^\\n]{0,20}end$', `${'x'.repeat(7_990)}panic end`)).toBe(
      true,
    )
  })
})
