import { createTwoFilesPatch } from 'diff'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type DiffRow, hunksOf, sideBySide } from '../../src/dashboard/diff-rows.ts'

const textOf = ({ words }: DiffRow): string => words.map(({ text }) => text).join('')

describe('a diff as rows', () => {
  test('numbers both sides and marks the words that changed', () => {
    const patch = createTwoFilesPatch('a', 'a', 'one\ntwo three\nfour\n', 'one\ntwo 3\nfour\nfive\n')
    const [hunk] = hunksOf(patch)
    expect(hunk?.title).toBe('@@ -1,3 +1,4 @@')
    expect(hunk?.rows.map(row => [row.kind, row.before, row.after, textOf(row)])).toEqual([
      ['same', 1, 1, 'one'],
      ['removed', 2, undefined, 'two three'],
      ['added', undefined, 2, 'two 3'],
      ['same', 3, 3, 'four'],
      ['added', undefined, 4, 'five'],
    ])
    expect(hunk?.rows[1]?.words.filter(({ isChanged }) => isChanged).map(({ text }) => text)).toEqual([
      'three',
    ])
  })

  test('has lines that look like commands of a diff as text', () => {
    const patch = createTwoFilesPatch('a', 'a', '-- x\n', '++ y\n@@ -1 +1 @@\n')
    expect(hunksOf(patch).flatMap(({ rows }) => rows.map(textOf))).toEqual(
      expect.arrayContaining(['-- x', '++ y', '@@ -1 +1 @@']),
    )
  })

  test('loses nothing of either side, in one column or in two', () => {
    const text = fc.array(fc.constantFrom('a', 'b b', 'c', '', '  d'), { maxLength: 12 })
    fc.assert(
      fc.property(text, text, (before, after) => {
        const patch = createTwoFilesPatch(
          'x',
          'x',
          `${before.join('\n')}\n`,
          `${after.join('\n')}\n`,
          '',
          '',
          {
            context: 100,
          },
        )
        const rows = hunksOf(patch).flatMap(hunk => hunk.rows)
        if (rows.length === 0) return
        const side = (kind: 'added' | 'removed') =>
          rows.filter(row => row.kind === 'same' || row.kind === kind)
        expect(`${side('removed').map(textOf).join('\n')}\n`).toBe(`${before.join('\n')}\n`)
        expect(`${side('added').map(textOf).join('\n')}\n`).toBe(`${after.join('\n')}\n`)
        const pairs = sideBySide(rows)
        expect(pairs.flatMap(([left]) => (left && left.kind !== 'added' ? [left] : []))).toEqual(
          side('removed'),
        )
        expect(pairs.flatMap(([, right]) => (right && right.kind !== 'removed' ? [right] : []))).toEqual(
          side('added'),
        )
      }),
      { numRuns: 150 },
    )
  })
})
