import { describe, expect, test } from 'vitest'
import { contentParts } from '../../src/journal/content-parts.ts'

/** Records as a snapshot has them, each a little different. */
const records = (count: number): string[] =>
  Array.from({ length: count }, (_, at) =>
    JSON.stringify({
      codonId: `c#${at}`,
      cost: at / 64,
      checkpoints: { completed: `${at * 7919}`.padStart(40, '0') },
    }),
  )

const textOf = (list: readonly string[]): Buffer => Buffer.from(`[${list.join(',')}]`)

function newBytes(before: readonly Buffer[], after: readonly Buffer[]): number {
  const known = new Set(before.map(part => part.toString('latin1')))
  return after.reduce((sum, part) => sum + (known.has(part.toString('latin1')) ? 0 : part.length), 0)
}

describe('a large text in parts', () => {
  test('is itself when they are put together, and a short one stays whole', () => {
    for (const count of [0, 1, 600, 20_000]) {
      const bytes = textOf(records(count))
      expect(Buffer.concat(contentParts(bytes)).equals(bytes)).toBe(true)
    }
    expect(contentParts(Buffer.alloc(64 * 1024))).toHaveLength(1)
  })

  test('has parts of 16 to 128 KB, also where everything is the same', () => {
    for (const bytes of [textOf(records(20_000)), Buffer.alloc(1_000_000, 'x')]) {
      const parts = contentParts(bytes)
      for (const part of parts.slice(0, -1)) {
        expect(part.length).toBeGreaterThanOrEqual(16 * 1024)
        expect(part.length).toBeLessThanOrEqual(128 * 1024)
      }
      expect(parts.length).toBeGreaterThan(bytes.length / (128 * 1024) - 1)
    }
  })

  test('shares all but a part or two with what it was before it grew, or was changed in the middle', () => {
    const list = records(20_000)
    const before = contentParts(textOf(list))
    const larger = contentParts(textOf([...list, ...records(1)]))
    const inserted = contentParts(textOf(list.toSpliced(9_000, 0, '"new"')))
    const changed = contentParts(textOf(list.with(11_000, '{"other":true}')))
    for (const after of [larger, inserted, changed])
      expect(newBytes(before, after)).toBeLessThan(3 * 128 * 1024)
  })
})
