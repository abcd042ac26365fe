import { describe, expect, it } from 'vitest'
import { formatKey, formatPath, valueAt } from '../../src/kit/index.ts'

describe('a path into a document', () => {
  it.each<[string, (string | number)[]]>([
    ['', []],
    ['port', ['port']],
    ['steps[2].file', ['steps', 2, 'file']],
    ['[0][1]', [0, 1]],
    ['env["a b"].c-d', ['env', 'a b', 'c-d']],
    ['$schema', ['$schema']],
    ['a["2"]', ['a', '2']],
  ])('is written as %s', (text, path) => {
    expect(formatPath(path)).toBe(text)
  })

  it('shows a key that is no name in quotes, on one line and not at full length', () => {
    expect(formatKey('port')).toBe('port')
    expect(formatKey('two\nlines')).toBe('"two\\nlines"')
    expect(formatKey('x'.repeat(1_000)).length).toBeLessThan(80)
  })

  it('leads only to what the document itself holds', () => {
    const root = { a: [{ b: 1 }] }
    expect(valueAt(root, ['a', 0, 'b'])).toBe(1)
    expect(valueAt(root, [])).toBe(root)
    expect(valueAt(root, ['a', 1, 'b'])).toBeUndefined()
    expect(valueAt(root, ['toString'])).toBeUndefined()
    expect(valueAt(root, ['__proto__'])).toBeUndefined()
    expect(valueAt('text', ['length'])).toBeUndefined()
  })
})
