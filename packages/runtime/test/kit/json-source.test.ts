import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { threadTime } from '../../../../test/support/thread-time.ts'
import { type JsonSource, type Place, parseJsonSource } from '../../src/kit/index.ts'

const file = 'a.json'

function read(text: string | Uint8Array): JsonSource {
  const result = parseJsonSource(text, { file })
  if (!result.ok) throw new Error(result.problems[0]?.message)
  return result
}

function faultOf(text: string | Uint8Array, limits: { maxBytes?: number; maxDepth?: number } = {}) {
  const result = parseJsonSource(text, { file, ...limits })
  if (result.ok) throw new Error('accepted')
  expect(result.problems).toHaveLength(1)
  const [problem] = result.problems
  return { at: `${problem?.place?.line}:${problem?.place?.column}`, message: problem?.message }
}

const at = (line: number, column: number): Place => ({ file, line, column })

describe('a JSON source', () => {
  const text = '{\n  "name": "x",\r\n  "steps": [\n    {"id": 1},\r    {"id": [true, null]}\n  ]\n}'

  it.each<[string, (string | number)[], 'key' | 'value', Place]>([
    ['the document', [], 'value', at(1, 1)],
    ['a value', ['name'], 'value', at(2, 11)],
    ['a key', ['name'], 'key', at(2, 3)],
    ['an item', ['steps', 0], 'value', at(4, 5)],
    ['a value in an item', ['steps', 0, 'id'], 'value', at(4, 12)],
    ['a key in an item', ['steps', 1, 'id'], 'key', at(5, 6)],
    ['an item of a list, whose key is itself', ['steps', 1, 'id', 1], 'key', at(5, 19)],
    ['what is not there: the object around it', ['steps', 0, 'name'], 'value', at(4, 5)],
    ['what is far from there: the nearest thing', ['steps', 7, 'a', 'b'], 'value', at(3, 12)],
    ['a key below a plain value: that value', ['name', 'a'], 'value', at(2, 11)],
  ])('knows the place of %s', (_, path, part, place) => {
    expect(read(text).placeOf(path, part)).toEqual(place)
  })

  it('knows where a value or a key ends, in UTF-16 code units', () => {
    const source = read('{"a": "x😀",\n "b": [1,\n 2]}')
    expect(source.spotOf(['a'])).toEqual({ where: 'a', place: at(1, 7), end: at(1, 12) })
    expect(source.spotOf(['b'], 'key')).toEqual({ where: 'b', place: at(2, 2), end: at(2, 5) })
    expect(source.spotOf(['b'])).toEqual({ where: 'b', place: at(2, 7), end: at(3, 4) })
    expect(source.spotOf(['b', 1])).toEqual({ where: 'b[1]', place: at(3, 2), end: at(3, 3) })
  })

  it('gives the value that JSON.parse gives, __proto__ as an own key', () => {
    const { value, placeOf } = read('{"a": 1, "__proto__": {"b": 2}}')
    expect(Object.keys(value as object)).toEqual(['a', '__proto__'])
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(placeOf(['__proto__', 'b'])).toEqual(at(1, 29))
  })

  it('takes bytes and forgives a byte order mark', () => {
    expect(read(Buffer.from('\uFEFF{"a": "ü"}')).value).toEqual({ a: 'ü' })
    expect(read('\uFEFF{"a": "ü"}').placeOf(['a'])).toEqual(at(1, 7))
  })

  it('warns of a key that is written twice and points at the one that does not count', () => {
    const source = read('{"a": [{"b": 1, "c": 2, "b": 3}]}')
    expect(source.value).toEqual({ a: [{ b: 3, c: 2 }] })
    expect(source.warnings).toEqual([
      {
        severity: 'warning',
        code: 'json/twice',
        where: 'a[0]',
        message: 'the key b is written more than once; only the last one counts',
        place: at(1, 9),
        end: at(1, 12),
      },
    ])
    expect(source.placeOf(['a', 0, 'b'])).toEqual(at(1, 30))
  })

  it.each<[string, string, string]>([
    ['', '1:1', 'expected a JSON value, found an empty file'],
    ['{\n "a": 1,\n}', '2:8', 'there is a comma too many before the closing }, in the line `"a": 1,`'],
    ['[1,\n\n]', '1:3', 'there is a comma too many before the closing ], in the line `[1,`'],
    ['{"a": 1\n "b": 2}', '2:2', 'expected a comma before `"b"`, in the line `"b": 2}`'],
    ['{"a" 1}', '1:6', 'expected a colon after the key, found "1", in the line `{"a" 1}`'],
    ['{"a": }', '1:7', 'expected a value, found "}", in the line `{"a": }`'],
    ['{"a": 1', '1:8', 'expected a closing } before the end of the file, in the line `{"a": 1`'],
    ['[1', '1:3', 'expected a closing ] before the end of the file, in the line `[1`'],
    ['{} {}', '1:4', 'expected the end of the file, found "{", in the line `{} {}`'],
    ['{} // x', '1:4', 'comments are not allowed in JSON, in the line `{} // x`'],
    ['/* x', '1:1', 'comments are not allowed in JSON, in the line `/* x`'],
    ['{"a": "b\n"}', '1:7', 'the string is not closed on its line, in the line `{"a": "b`'],
    [
      '["\\q"]',
      '1:2',
      'the string has a backslash that starts no escape; a backslash itself is \\\\, in the line `["\\q"]`',
    ],
    [
      '["\\u12"]',
      '1:2',
      'the string has a \\u that is not followed by four hexadecimal digits, in the line `["\\u12"]`',
    ],
    [
      '["\u0007"]',
      '1:2',
      'the string has a control character that must be escaped, such as \\t, in the line `["\\u0007"]`',
    ],
    ['[1.]', '1:2', 'the number "1." is not complete, in the line `[1.]`'],
    ["{'a': 1}", '1:2', "\"'a'\" is not JSON: keys and strings need double quotes, in the line `{'a': 1}`"],
    [
      '{a: 1}',
      '1:2',
      '"a" is not JSON: keys and strings need double quotes, the only other words are true, false and null, in the line `{a: 1}`',
    ],
  ])('says what is wrong with %j', (broken, place, message) => {
    expect(faultOf(broken)).toEqual({ at: place, message })
  })

  it('shows only the part of a long line that matters', () => {
    const { at: place, message } = faultOf(`[${'1, '.repeat(1_000)} x]`)
    expect(place).toBe('1:3003')
    expect(message?.length).toBeLessThan(250)
  })

  it('has caps for size and depth, and wants UTF-8', () => {
    expect(faultOf('[1, 2, 3]', { maxBytes: 8 }).message).toBe('the file has 9 bytes; at most 8 are allowed')
    expect(faultOf('"üüü"', { maxBytes: 7 }).message).toBe('the file has 8 bytes; at most 7 are allowed')
    expect(faultOf(Uint8Array.of(0x22, 0xff, 0x22)).message).toBe('the file is not valid UTF-8')
    expect(parseJsonSource('[[{"a": 1}]]', { file, maxDepth: 3 }).ok).toBe(true)
    expect(faultOf('[[{"a":\n [1]}]]', { maxDepth: 3 })).toEqual({
      at: '2:2',
      message: 'values are nested more than 3 levels deep',
    })
    expect(parseJsonSource(`${'['.repeat(64)}${']'.repeat(64)}`, { file }).ok).toBe(true)
    expect(parseJsonSource(`${'['.repeat(65)}${']'.repeat(65)}`, { file }).ok).toBe(false)
  })

  it('accepts exactly what JSON.parse accepts, and never throws', () => {
    const unit = fc.constantFrom(
      ...'{}[],:"\\/*tfn10-.e \n\t\u00a0u'.split(''),
      'true',
      'null',
      '"a"',
      '[]',
      '//',
    )
    const soup = fc.array(unit, { maxLength: 30 }).map(parts => parts.join(''))
    const json = fc.jsonValue({ maxDepth: 5 }).map(value => JSON.stringify(value, null, 2))
    fc.assert(
      fc.property(fc.oneof(soup, json), input => {
        const result = parseJsonSource(input, { file })
        expect(result.ok).toBe(isJson(input))
        if (result.ok) expect(result.value).toEqual(JSON.parse(input))
        else expect(result.problems[0]?.place).toBeDefined()
      }),
      { numRuns: 500 },
    )
  })

  it.each<[string, string]>([
    ['open brackets', '['.repeat(1_000_000)],
    ['brackets that do not fit', '[},'.repeat(300_000)],
    ['objects in objects', '{"a":'.repeat(200_000)],
    ['brackets after an open string', `{"a":"\n${'['.repeat(500_000)}`],
    ['brackets after a comment with a quote', `/* " */ ${'['.repeat(500_000)}`],
    ['closing brackets first', `${']'.repeat(300_000)}${'['.repeat(300_000)}`],
    ['open strings', '"\n'.repeat(500_000)],
    ['one long string', `"${'\\'.repeat(1_000_000)}`],
  ])('is quick and calm with a megabyte of %s', (_, hostile) => {
    const start = threadTime()
    faultOf(hostile)
    expect(threadTime() - start).toBeLessThan(3_000)
  })

  it.each<[string, string, string]>([
    ['blanks', ' '.repeat(9_000_000), 'the file has more than 100000 blanks in a row'],
    ['numbers', `[${'1,'.repeat(4_000_000)}1]`, 'the file has more than 1000000 values'],
    ['objects without an end', `[${'{},'.repeat(3_000_000)}`, 'the file has more than 1000000 values'],
    ['words', `[${'1 '.repeat(4_000_000)}`, 'the file has more than 1000000 values'],
  ])('refuses nine megabytes of %s in a moment', (_, hostile, message) => {
    const start = threadTime()
    expect(faultOf(hostile)).toEqual({ at: '1:1', message })
    expect(faultOf(Buffer.from(hostile)).message).toBe(message)
    expect(threadTime() - start).toBeLessThan(1_000)
  })

  it('takes a text that is only long, and blanks and brackets inside of it', () => {
    const long = `${' '.repeat(200_000)}${'[{,'.repeat(1_000_000)}\\"`
    expect(read(JSON.stringify([long, 1])).value).toEqual([long, 1])
    expect(read(`[1${`,${' '.repeat(1_000)}1`.repeat(1_000)}]`).value).toHaveLength(1_001)
  })

  it('finds the place of each of many keys without searching them all', () => {
    const keys = Array.from({ length: 50_000 }, (_, index) => `key${index}`)
    const source = read(`{\n${keys.map(key => `"${key}": 1`).join(',\n')}\n}`)
    const start = threadTime()
    expect(keys.every((key, index) => source.placeOf([key]).line === index + 2)).toBe(true)
    expect(threadTime() - start).toBeLessThan(3_000)
  })
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
