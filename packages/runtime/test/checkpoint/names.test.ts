import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { fromLine, toLine } from '../../src/checkpoint/commit.ts'
import { branchOf, resolveSha } from '../../src/checkpoint/index.ts'
import { binaryOfName, bytesOfName, nameOfBytes } from '../../src/files/index.ts'
import { splitAtNul } from '../../src/tree/git.ts'

const anyBytes = fc.uint8Array({ minLength: 1, maxLength: 20 })

describe('names of files', () => {
  test('come back as they were, whatever their bytes', () => {
    fc.assert(
      fc.property(anyBytes, bytes => {
        expect(bytesOfName(nameOfBytes(bytes))).toEqual(Buffer.from(bytes))
      }),
      { numRuns: 500 },
    )
  })

  test('that are text are that text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => {
        expect(nameOfBytes(Buffer.from(text))).toBe(text)
      }),
    )
  })

  test('compare as their bytes do', () => {
    fc.assert(
      fc.property(anyBytes, anyBytes, (a, b) => {
        const [one, other] = [a, b].map(bytes => binaryOfName(nameOfBytes(bytes)))
        expect((one ?? '') < (other ?? '')).toBe(Buffer.compare(a, b) < 0)
      }),
      { numRuns: 500 },
    )
  })

  test('are split at NUL, and a byte that is no text stays', () => {
    expect(splitAtNul(Buffer.alloc(0))).toEqual([])
    expect(splitAtNul(Buffer.from('a\0b\n\0'))).toEqual(['a', 'b\n'])
    expect(splitAtNul(Buffer.from('a\0\xe9\0', 'latin1'))).toEqual(['a', '\udce9'])
  })
})

describe('text on one line', () => {
  test('comes back as it was, whatever it holds', () => {
    const anyText = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.nat(0xffff).map(code => String.fromCharCode(code)) }),
    )
    fc.assert(
      fc.property(anyText, text => {
        const line = toLine(text)
        expect(line).not.toMatch(/[\n\r\0\u2028\u2029]|^ | $/)
        expect(Buffer.from(line).toString()).toBe(line)
        expect(fromLine(line)).toBe(text)
      }),
      { numRuns: 500 },
    )
  })

  test('is itself when it is ordinary', () => {
    expect(toLine('review#3 – schön')).toBe('review#3 – schön')
  })
})

describe('the branch of a run', () => {
  test('is named after it', () => {
    expect(branchOf('run_01k2m9q4c0000f3v8a1bq0e')).toBe('run-run_01k2m9q4c0000f3v8a1bq0e')
  })

  test('is a name that git takes, for every id, and two ids never share one', () => {
    const odd = [
      '',
      '.',
      '..',
      'a..b',
      'a.lock',
      'a/b',
      '-x',
      'a b',
      'a~b',
      '@{',
      'ü',
      'x'.repeat(300),
      'a.',
      '\0',
      '%',
    ]
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(...odd)), { maxLength: 8 }),
        ids => {
          const branches = ids.map(branchOf)
          expect(new Set(branches).size).toBe(ids.length)
          for (const branch of branches) {
            expect(branch).toMatch(/^run-[A-Za-z0-9_.%-]*$/)
            expect(branch).not.toMatch(/\.\.|\.$|\.lock$/)
            expect(branch.length).toBeLessThan(200)
          }
        },
      ),
    )
  })
})

describe('a sha that a client names', () => {
  const known = ['abcd111111', 'abcd222222', 'abce333333']

  test('is found by a prefix that fits only one', () => {
    expect(resolveSha('abcd1', known)).toEqual({ ok: true, sha: 'abcd111111' })
    expect(resolveSha('ABCE', known)).toEqual({ ok: true, sha: 'abce333333' })
    expect(resolveSha('abcd2', [...known, ...known])).toEqual({ ok: true, sha: 'abcd222222' })
    expect(resolveSha('abcd', known)).toEqual({ ok: false, reason: 'ambiguous' })
    expect(resolveSha('ffff', known)).toEqual({ ok: false, reason: 'unknown' })
  })

  verifies(['d7/rollback-short-prefix'], 'is refused when it has fewer than four characters', () => {
    expect(resolveSha('abc', known)).toEqual({ ok: false, reason: 'too-short' })
    expect(resolveSha('', known)).toEqual({ ok: false, reason: 'too-short' })
  })
})
