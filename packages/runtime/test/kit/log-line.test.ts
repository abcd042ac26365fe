import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { LogFields } from '../../src/kit/index.ts'
import { logLine } from '../../src/kit/log.ts'

const same = (text: string) => text

function line(message: string, fields?: LogFields, redact = same): string {
  return logLine({ time: new Date(0), level: 'info', tag: 'TAG', message, fields }, redact)
}

const start = '1970-01-01T00:00:00.000Z INFO [TAG]'

describe('a log line', () => {
  it.each<[string, LogFields | undefined, string]>([
    ['plain', undefined, 'plain\n'],
    ['with fields', { a: 1, b: 'x' }, 'with fields {"a":1,"b":"x"}\n'],
    ['two\r\nlines\tand \u001b[31m', undefined, 'two\\r\\nlines\\tand \\u001b[31m\n'],
    ['odd', { big: 10n, separator: '\u2028', none: undefined }, 'odd {"big":"10","separator":"\\u2028"}\n'],
  ])('for %j with %o', (message, fields, end) => {
    expect(line(message, fields)).toBe(`${start} ${end}`)
  })

  it('shows errors, also nested ones, with what the system added', () => {
    const error = Object.assign(new Error('outer', { cause: new Error('inner') }), { code: 'EIO' })
    expect(line('failed', { error })).toMatch(/"code":"EIO".*"message":"outer".*"message":"inner"/)
  })

  it('does without fields that have no JSON form', () => {
    const circular: Record<string, unknown> = {}
    circular['self'] = circular
    expect(line('odd', circular)).toBe(`${start} odd {"fields":"without a JSON form"}\n`)
  })

  it('is one line without control characters, whatever is in it', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', '"', '\\', '\n', '\0', '\u001b', '\u007f', '\u0085', '\u2028'),
    })
    fc.assert(
      fc.property(text, fc.dictionary(text, text), (message, fields) => {
        expect(line(message, fields)).toMatch(/^[^\u0000-\u001f\u007f-\u009f\u2028\u2029]*\n$/)
      }),
    )
  })

  it('holds no secret, though quoting would have changed how it looks', () => {
    const secret = 'pass"word\n\\1'
    const redact = (text: string) => text.replaceAll(secret, '[hidden]')
    const text = line(`a ${secret} b`, { value: secret, nested: [{ error: new Error(secret) }] }, redact)
    expect(text).toContain('a [hidden] b {"value":"[hidden]"')
    expect(text).not.toContain('word')
  })

  it('is cut when it is very long', () => {
    const text = line('x'.repeat(1_000_000))
    expect(text.length).toBeLessThan(66_000)
    expect(text).toMatch(/characters left out\]\n$/)
  })
})
