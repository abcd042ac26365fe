import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type ListSize,
  mostShownHeight,
  placeAfterScroll,
  placeAt,
  placeOfRow,
  shownHeight,
} from '../../src/parts/scroll-place.ts'

const sizes = fc.record({
  rows: fc.oneof(fc.integer({ min: 0, max: 2_000 }), fc.integer({ min: 300_000, max: 50_000_000 })),
  rowHeight: fc.constantFrom(24, 28, 50),
  viewport: fc.integer({ min: 100, max: 2_000 }),
})
const endOf = ({ rows, rowHeight, viewport }: ListSize) => Math.max(0, rows * rowHeight - viewport)
const shownEndOf = (size: ListSize) => Math.max(0, shownHeight(size) - size.viewport)

describe('the place of a list', () => {
  test('is never shown higher than browsers draw, and both of its ends can be reached', () => {
    fc.assert(
      fc.property(sizes, fc.double({ min: 0, max: 1, noNaN: true }), (size, part) => {
        expect(shownHeight(size)).toBeLessThanOrEqual(mostShownHeight)
        const from = placeAt(part * endOf(size), size)
        expect(from.scrollTop).toBeLessThanOrEqual(shownEndOf(size) + 1e-6)
        expect(placeAfterScroll(from, shownEndOf(size), size).top).toBe(endOf(size))
        expect(placeAfterScroll(from, 0, size).top).toBe(0)
      }),
    )
  })

  test('moves by real pixels in small steps and by the scrollbar in large ones', () => {
    const size = { rows: 1_000_000, rowHeight: 24, viewport: 600 }
    const from = placeAt(12_000_000, size)
    expect(placeAfterScroll(from, from.scrollTop + 100, size).top).toBe(12_000_100)
    expect(placeAfterScroll(from, from.scrollTop - 1_000_000, size).top).toBeCloseTo(
      12_000_000 - (1_000_000 * endOf(size)) / shownEndOf(size),
      3,
    )
  })

  test('of any row has the whole row in sight, however it is aligned', () => {
    const aligned = fc.constantFrom('start', 'end', 'centre', 'nearest')
    fc.assert(
      fc.property(sizes, fc.nat(), fc.nat(), aligned, (size, a, b, align) => {
        fc.pre(size.rows > 0)
        const row = a % size.rows
        const from = placeAt((b % size.rows) * size.rowHeight, size)
        const { top } = placeOfRow(row, size, { from, align })
        expect(row * size.rowHeight).toBeGreaterThanOrEqual(top - 1e-6)
        expect((row + 1) * size.rowHeight).toBeLessThanOrEqual(top + size.viewport + 1e-6)
      }),
    )
  })

  test('moved as little as possible stays where it is for a row in sight', () => {
    const size = { rows: 5_000, rowHeight: 24, viewport: 480 }
    const from = placeAt(2_400, size)
    expect(placeOfRow(105, size, { from, align: 'nearest' }).top).toBe(2_400)
    expect(placeOfRow(99, size, { from, align: 'nearest' }).top).toBe(99 * 24)
    expect(placeOfRow(125, size, { from, align: 'nearest' }).top).toBe(126 * 24 - 480)
  })
})
