import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Allocation,
  allotment,
  createPool,
  exceeds,
  mayStillSpend,
  type PoolUse,
  tightest,
  unallocatedPart,
} from '../../../src/hank/budget-arithmetic.ts'

const untouched: PoolUse = { spent: new Map(), finished: new Set() }

const use = (spent: Readonly<Record<string, number>>, finished: readonly string[] = []): PoolUse => ({
  spent: new Map(Object.entries(spent)),
  finished: new Set(finished),
})

describe('the tightest of several limits', () => {
  it('is the lowest that exists', () => {
    expect(tightest()).toBeUndefined()
    expect(tightest(undefined, undefined)).toBeUndefined()
    expect(tightest(undefined, 3)).toBe(3)
    expect(tightest(3, undefined, 2, 5)).toBe(2)
    expect(tightest(0, 1)).toBe(0)
  })

  it('is never raised by one more', () => {
    const limit = fc.option(fc.double({ min: 0, noNaN: true }), { nil: undefined })
    fc.assert(
      fc.property(fc.array(limit), limit, (limits, more) => {
        const before = tightest(...limits) ?? Number.POSITIVE_INFINITY
        expect(tightest(...limits, more) ?? Number.POSITIVE_INFINITY).toBeLessThanOrEqual(before)
      }),
    )
  })
})

describe('shares', () => {
  it('leave what is not given away, and nothing when only rounding is left', () => {
    expect(unallocatedPart({})).toBe(1)
    expect(unallocatedPart({ a: 0.25, b: 0.25 })).toBe(0.5)
    expect(unallocatedPart(Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`c${at}`, 0.1])))).toBe(
      0,
    )
    expect(unallocatedPart({ a: 0.1, b: 0.2, c: 0.7 })).toBe(0)
    expect(unallocatedPart({ a: 0.75, b: 0.5 })).toBe(-0.25)
  })

  it('count only when they are meant to', () => {
    const shares = { a: 0.5 }
    expect(allotment(createPool(10, { shares }), 'a')).toBe(10)
    expect(allotment(createPool(10, { allocation: 'proportional', shares }), 'a')).toBe(5)
    expect(allotment(createPool(10, { allocation: 'proportional', shares }), 'b')).toBe(5)
    expect(allotment(createPool(10, { allocation: 'proportional', shares: { a: 0.75, b: 0.5 } }), 'c')).toBe(
      0,
    )
  })

  it('compare without the noise of rounding', () => {
    expect(exceeds(0.1 + 0.2, 0.3)).toBe(false)
    expect(exceeds(0.31, 0.3)).toBe(true)
    expect(exceeds(0.01, 0)).toBe(true)
    expect(exceeds(0, 0)).toBe(false)
  })
})

describe('what a child may still spend', () => {
  it('is all that is left, when the pool is shared', () => {
    const pool = createPool(10)
    expect(mayStillSpend(pool, untouched, 'a')).toBe(10)
    expect(mayStillSpend(pool, use({ a: 4, b: 1 }), 'b')).toBe(5)
    expect(mayStillSpend(pool, use({ a: 12 }), 'b')).toBe(0)
  })

  const shares = { a: 0.25, b: 0.5 }

  it.each(['proportional', 'proportional-strict'] as const)(
    'is its share or the rest at first (%s)',
    allocation => {
      const pool = createPool(8, { allocation, shares })
      expect(mayStillSpend(pool, untouched, 'a')).toBe(2)
      expect(mayStillSpend(pool, untouched, 'b')).toBe(4)
      expect(mayStillSpend(pool, untouched, 'c')).toBe(2)
      expect(mayStillSpend(pool, use({ c: 0.5 }), 'd')).toBe(1.5)
      expect(mayStillSpend(pool, use({ a: 1 }), 'c')).toBe(2)
      expect(mayStillSpend(pool, use({ a: 1 }), 'a')).toBe(1)
    },
  )

  it('grows by what a finished child left of its share, for one with and one without a share', () => {
    const pool = createPool(8, { allocation: 'proportional', shares })
    const aLeftOne = use({ a: 1 }, ['a'])
    expect(mayStillSpend(pool, aLeftOne, 'b')).toBe(5)
    expect(mayStillSpend(pool, aLeftOne, 'c')).toBe(3)
    expect(mayStillSpend(pool, use({ a: 1, b: 4.5 }, ['a']), 'c')).toBe(2.5)
    expect(mayStillSpend(pool, use({ a: 1, c: 3 }, ['a']), 'b')).toBe(4)
    expect(mayStillSpend(pool, use({ a: 1, b: 4.5 }, ['a', 'b']), 'c')).toBe(2.5)
  })

  it('does not grow when the allocation is strict', () => {
    const pool = createPool(8, { allocation: 'proportional-strict', shares })
    expect(mayStillSpend(pool, use({ a: 1 }, ['a']), 'b')).toBe(4)
    expect(mayStillSpend(pool, use({ a: 1 }, ['a']), 'c')).toBe(2)
  })

  it('is bounded by the pool when another has spent too much', () => {
    const pool = createPool(8, { allocation: 'proportional-strict', shares })
    expect(mayStillSpend(pool, use({ a: 5 }, ['a']), 'b')).toBe(3)
  })
})

const ids = ['a', 'b', 'c', 'd', 'e']
const allocation = fc.constantFrom<Allocation>('shared', 'proportional', 'proportional-strict')
const amount = fc.double({ min: 0.01, max: 1_000, noNaN: true })
const anyShares = fc.dictionary(fc.constantFrom(...ids), fc.double({ min: 0.01, max: 1, noNaN: true }))
const turns = fc.array(
  fc.record({
    child: fc.constantFrom(...ids),
    part: fc.double({ min: 0, max: 1, noNaN: true }),
    ends: fc.boolean(),
  }),
  { maxLength: 30 },
)

/** Lets the children take turns, each spending a part of what it may. */
function play(
  pool: ReturnType<typeof createPool>,
  moves: typeof turns extends fc.Arbitrary<infer T> ? T : never,
) {
  const spent = new Map<string, number>()
  const finished = new Set<string>()
  for (const { child, part, ends } of moves) {
    if (finished.has(child)) continue
    const allowed = mayStillSpend(pool, { spent, finished }, child)
    expect(allowed).toBeGreaterThanOrEqual(0)
    spent.set(child, (spent.get(child) ?? 0) + allowed * part)
    if (ends) finished.add(child)
  }
  return { spent, finished }
}

const total = (amounts: Iterable<number>) => [...amounts].reduce((sum, next) => sum + next, 0)

describe('budgets in general', () => {
  it('never let children spend more than the container has, even with shares that promise more', () => {
    fc.assert(
      fc.property(amount, allocation, anyShares, turns, (dollars, how, shares, moves) => {
        const { spent } = play(createPool(dollars, { allocation: how, shares }), moves)
        expect(total(spent.values())).toBeLessThanOrEqual(dollars * (1 + 1e-9))
      }),
    )
  })

  it('never let a child beyond its share when they are strict, whatever the others leave', () => {
    fc.assert(
      fc.property(amount, anyShares, turns, (dollars, shares, moves) => {
        const pool = createPool(dollars, { allocation: 'proportional-strict', shares })
        const { spent } = play(pool, moves)
        for (const [child, amount] of spent) {
          expect(amount).toBeLessThanOrEqual(allotment(pool, child) * (1 + 1e-9))
        }
      }),
    )
  })

  it('never take from a child what its share promises, as long as the shares fit', () => {
    fc.assert(
      fc.property(amount, anyShares, turns, (dollars, shares, moves) => {
        fc.pre(unallocatedPart(shares) >= 0)
        const pool = createPool(dollars, { allocation: 'proportional', shares })
        const { spent, finished } = play(pool, moves)
        for (const child of pool.shares.keys()) {
          if (finished.has(child)) continue
          const promised = allotment(pool, child) - (spent.get(child) ?? 0)
          expect(mayStillSpend(pool, { spent, finished }, child)).toBeGreaterThanOrEqual(
            promised - dollars * 1e-9,
          )
        }
      }),
    )
  })

  it('give no one more when another spends, and no one less when the container has more', () => {
    const child = fc.constantFrom(...ids)
    fc.assert(
      fc.property(
        amount,
        allocation,
        anyShares,
        turns,
        child,
        child,
        (dollars, how, shares, moves, me, other) => {
          fc.pre(me !== other)
          const pool = createPool(dollars, { allocation: how, shares })
          const before = play(pool, moves)
          const now = mayStillSpend(pool, before, me)
          const more = new Map(before.spent).set(other, (before.spent.get(other) ?? 0) + dollars / 10)
          expect(mayStillSpend(pool, { ...before, spent: more }, me)).toBeLessThanOrEqual(
            now + dollars * 1e-9,
          )
          const richer = createPool(dollars * 2, { allocation: how, shares })
          expect(mayStillSpend(richer, before, me)).toBeGreaterThanOrEqual(now - dollars * 1e-9)
        },
      ),
    )
  })

  it('lose nothing when they are shared or proportional and the last one may take it all', () => {
    fc.assert(
      fc.property(amount, anyShares, (dollars, shares) => {
        fc.pre(unallocatedPart(shares) >= 0)
        const pool = createPool(dollars, { allocation: 'proportional', shares })
        const finished = new Set(ids)
        expect(mayStillSpend(pool, { spent: new Map(), finished }, 'last')).toBeCloseTo(dollars, 6)
      }),
    )
  })
})
