import * as fc from 'fast-check'
import { describe, expect } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { alignNames, alignNumbers } from '../../src/versions/align.ts'

const row = fc.array(fc.nat(6), { maxLength: 30 })
const names = fc.uniqueArray(fc.constantFrom(...'abcdefghijkl'), { maxLength: 12 })

/** The length of the longest common row, in the plainest way. */
function longest(left: readonly (string | number)[], right: readonly (string | number)[]): number {
  const rows = Array.from({ length: left.length + 1 }, () =>
    Array.from({ length: right.length + 1 }, () => 0),
  )
  for (const [i, one] of left.entries())
    for (const [j, other] of right.entries()) {
      const here = rows[i + 1]
      if (here)
        here[j + 1] = one === other ? (rows[i]?.[j] ?? 0) + 1 : Math.max(rows[i]?.[j + 1] ?? 0, here[j] ?? 0)
    }
  return rows[left.length]?.[right.length] ?? 0
}

describe('two rows', () => {
  verifies(
    ['compare/same'],
    'are aligned the same from both sides, and a row with itself is the same',
    () => {
      fc.assert(
        fc.property(row, row, (left, right) => {
          const { same, onlyLeft, onlyRight, first } = alignNumbers(left, right)
          const back = alignNumbers(right, left)
          expect(back).toEqual({
            same,
            onlyLeft: onlyRight,
            onlyRight: onlyLeft,
            ...(first !== undefined && { first }),
          })
          expect(same).toBe(longest(left, right))
          expect(same + onlyLeft).toBe(left.length)
          expect(alignNumbers(left, left)).toEqual({ same: left.length, onlyLeft: 0, onlyRight: 0 })
          if (first !== undefined) {
            expect(left.slice(0, first)).toEqual(right.slice(0, first))
            expect(left[first] === right[first]).toBe(false)
          }
        }),
      )
      const long = Array.from({ length: 5_000 }, (_, at) => at)
      expect(alignNumbers([...long, 1], [-1, ...long.toReversed()])).toMatchObject({ first: 0, same: 5_000 })
    },
  )

  verifies(['compare/aligned'], 'of names keep the longest part that both have in the same order', () => {
    fc.assert(
      fc.property(names, names, (left, right) => {
        const pairs = alignNames(left, right)
        expect(pairs.filter(({ inLeft }) => inLeft).map(({ id }) => id)).toEqual(left)
        expect(pairs.filter(({ inRight }) => inRight).map(({ id }) => id)).toEqual(right)
        expect(pairs.filter(({ inLeft, inRight }) => inLeft && inRight).length).toBe(longest(left, right))
        const both = (list: typeof pairs) =>
          list.filter(({ inLeft, inRight }) => inLeft && inRight).map(({ id }) => id)
        expect(both(alignNames(right, left))).toEqual(both(pairs))
      }),
    )
  })
})
