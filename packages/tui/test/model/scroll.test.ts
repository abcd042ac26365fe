import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { plainRows } from '../../src/model/rows.ts'
import { type Movement, moved, type Place, turned, windowOf } from '../../src/model/scroll.ts'
import { line } from '../../src/terminal/line.ts'

const rows = (count: number) => plainRows(Array.from({ length: count }, (_, index) => line(`row ${index}`)))
const follow = { height: 10, followsEnd: true } as const
const after = (count: number, ...movements: readonly Movement[]): Place =>
  movements.reduce<Place>((place, movement) => moved(rows(count), place, { ...follow, movement }), 'end')

describe('scrolling', () => {
  it('follows the end until someone goes up', () => {
    expect(windowOf(rows(100), 'end', 10)).toEqual({ top: 90, cursor: undefined })
    expect(windowOf(rows(100), after(100, 'up'), 10)).toEqual({ top: 90, cursor: 99 })
    expect(windowOf(rows(100), after(100, 'up', 'up'), 10)).toEqual({ top: 90, cursor: 98 })
    expect(after(100, 'up', 'down')).toBe('end')
    expect(after(100, 'home', 'end')).toBe('end')
  })

  it('stays where it is while rows come at the end', () => {
    const place = after(100, 'page-up', 'page-up')
    expect(windowOf(rows(100), place, 10)).toEqual(windowOf(rows(1_000), place, 10))
  })

  it('moves by pages and to the ends', () => {
    expect(windowOf(rows(100), after(100, 'home'), 10)).toEqual({ top: 0, cursor: 0 })
    expect(windowOf(rows(100), after(100, 'home', 'page-down'), 10).cursor).toBe(9)
  })

  it('never shows what is not there, whatever is pressed', () => {
    const movement = fc.constantFrom<Movement>('up', 'down', 'page-up', 'page-down', 'home', 'end')
    fc.assert(
      fc.property(
        fc.nat(40),
        fc.nat(40),
        fc.integer({ min: 1, max: 12 }),
        fc.array(movement),
        (before, later, height, all) => {
          for (const step of [moved, turned]) {
            const place = all.reduce<Place>(
              (at, each) => step(rows(before), at, { movement: each, height, followsEnd: false }),
              'start',
            )
            const { top, cursor } = windowOf(rows(later), place, height)
            expect(top).toBeGreaterThanOrEqual(0)
            expect(top).toBeLessThanOrEqual(Math.max(0, later - height))
            if (cursor === undefined) continue
            expect(cursor).toBeGreaterThanOrEqual(top)
            expect(cursor).toBeLessThan(Math.max(1, later))
            if (step === moved) expect(cursor).toBeLessThan(top + height)
          }
        },
      ),
    )
  })

  it('turns pages where there is no cursor', () => {
    const place = turned(rows(30), 'start', { movement: 'down', height: 10 })
    expect(windowOf(rows(30), place, 10).top).toBe(1)
    expect(windowOf(rows(30), turned(rows(30), place, { movement: 'end', height: 10 }), 10).top).toBe(20)
  })
})
