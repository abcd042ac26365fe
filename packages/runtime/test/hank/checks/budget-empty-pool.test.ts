import { describe, expect, it } from 'vitest'
import { verifies } from '../../../../../test/conformance/verifies.ts'
import { codonOf, hankOf, loopOf } from '../../../../../test/support/hank-builder.ts'
import { threadTime } from '../../../../../test/support/thread-time.ts'
import { checkBudgets } from '../../../src/hank/checks/budgets.ts'
import type { CodonBudget, HankFile, HankItem, SharedBudget } from '../../../src/hank/schema.ts'
import { places, told } from './problems.ts'

const going = (id: string, budget: CodonBudget = {}) => codonOf(id, { budget })
const failing = (id: string, budget: CodonBudget = {}) =>
  codonOf(id, { budget: { onExceeded: 'fail', ...budget } })
const ignoring = (id: string) => codonOf(id, { onFailure: 'ignore', budget: { onExceeded: 'fail' } })
const capped = { maxDollars: 2 }

const under = (budget: SharedBudget, ...items: HankItem[]) => hankOf(items, { overrides: { budget } })

const warnedIn = (hank: HankFile) => places(checkBudgets, hank)

/** Where a hank with ten dollars warns. */
const warned = (...items: HankItem[]) => places(checkBudgets, under({ maxDollars: 10 }, ...items))

describe('a codon that fails at a limit, after others that may use up the pool', () => {
  verifies(['7.3/warn-budget-fail-after-shared-pool'], 'gives a warning', async () => {
    expect(await told(checkBudgets, under({ maxDollars: 10 }, going('a'), failing('b')))).toEqual([
      'warning: hank[1].budget.onExceeded: Codon 2 (b): onExceeded is "fail", but Codon 1 (a) may use up the $10 of the hank first, and then the run fails here. Limit what comes before, give shares, or set onExceeded to "complete".',
    ])
    expect(await warned(going('a'), going('b'))).toEqual([])
    expect(await warned(failing('a'), going('b'))).toEqual([])
    expect(await told(checkBudgets, hankOf([going('a'), failing('b')]))).toEqual([])
  })

  it('is safe when the others stop the run themselves, but not when their failure is ignored', async () => {
    expect(await warned(failing('a'), failing('b'))).toEqual([])
    expect(await warned(ignoring('a'), failing('b'))).toEqual(['warning hank[1].budget.onExceeded'])
    const inherited = under({ maxDollars: 10, onExceeded: 'fail' }, codonOf('a'), codonOf('b'))
    expect(await told(checkBudgets, inherited)).toEqual([])
  })

  it('is safe when the limits of the others keep them from using it up', async () => {
    expect(await warned(going('a', capped), going('b', capped), failing('c'))).toEqual([])
    const five = ['a', 'b', 'c', 'd', 'e'].map(id => going(id, capped))
    expect(await warned(...five, failing('f'))).toEqual(['warning hank[5].budget.onExceeded'])
    expect(await warned(going('a', capped), failing('b', { maxDollars: 9 }), going('c', capped))).toEqual([])
  })

  it('counts the limits of loop codons once per iteration, and no more than the loop may spend', async () => {
    const loop = (limit: number, budget?: SharedBudget) =>
      loopOf('l', [going('a', capped)], { terminateOn: { type: 'iterationLimit', limit }, budget })
    expect(await warned(loop(4), failing('b'))).toEqual([])
    expect(await warned(loop(5), failing('b'))).toEqual(['warning hank[1].budget.onExceeded'])
    expect(await warned(loop(5, { maxDollars: 9 }), failing('b'))).toEqual([])
  })

  it('may be followed by the others in the next iteration of a loop', async () => {
    const codons = [failing('a'), going('b')]
    expect(await warned(loopOf('l', codons))).toEqual(['warning hank[0].codons[0].budget.onExceeded'])
    const once = loopOf('l', codons, { terminateOn: { type: 'iterationLimit', limit: 1 } })
    expect(await warned(once)).toEqual([])
    const own = loopOf('l', codons, { budget: { maxDollars: 3 } })
    expect(await places(checkBudgets, hankOf([own]))).toEqual(['warning hank[0].codons[0].budget.onExceeded'])
  })

  it('is told once, and not when it or the others have a share of their own', async () => {
    const both = loopOf('l', [going('a'), failing('b')], { budget: { maxDollars: 3 } })
    expect(await warned(going('x'), both)).toEqual(['warning hank[1].codons[1].budget.onExceeded'])
    const shared = (shares: Record<string, number>) =>
      under({ maxDollars: 10, allocation: 'proportional', shares }, going('a'), failing('b'), going('c'))
    expect(await told(checkBudgets, shared({ a: 0.5 }))).toEqual([])
    expect(await told(checkBudgets, shared({ b: 0.5 }))).toEqual([])
    expect(await places(checkBudgets, shared({ c: 0.5 }))).toEqual(['warning hank[1].budget.onExceeded'])
  })

  it('that is told by a word above it is told of at that word, together with all others, and with who is to blame', async () => {
    const complete = going('b', { ...capped, onExceeded: 'complete' })
    const codons = [codonOf('a'), complete, codonOf('c'), codonOf('d'), codonOf('e')]
    const byHank = under({ maxDollars: 10, onExceeded: 'fail' }, ...codons)
    expect(await told(checkBudgets, byHank)).toEqual([
      'warning: overrides.budget.onExceeded: Codon 3 (c) and 2 more codons: onExceeded is "fail" by what is written here, but Codon 1 (a) may use up the $10 of the hank first, and then the run fails there. Limit what comes before, give shares, or set onExceeded to "complete".',
    ])
    const byLoop = loopOf('l', [complete, codonOf('c')], { budget: { maxDollars: 2, onExceeded: 'fail' } })
    expect(await told(checkBudgets, hankOf([byLoop]))).toEqual([
      'warning: hank[0].budget.onExceeded: Codon 1.2 (c): onExceeded is "fail" by what is written here, but Codon 1.1 (b) may use up the $2 of Loop 1 (l) first, and then the run fails there. Limit what comes before, give shares, or set onExceeded to "complete".',
    ])
  })

  it('names those that can use it up alone, or all together', async () => {
    const by = async (...items: HankItem[]) =>
      /but (.*) may/.exec((await told(checkBudgets, under({ maxDollars: 10 }, ...items))).join())?.[1]
    const big = { maxDollars: 10 }
    expect(await by(going('a', capped), going('b', big), going('c', capped), failing('d'))).toBe(
      'Codon 2 (b)',
    )
    const five = ['a', 'b', 'c', 'd', 'e'].map(id => going(id, capped))
    expect(await by(...five, failing('f'))).toBe(
      'Codon 1 (a), Codon 2 (b), Codon 3 (c) and 2 more codons together',
    )
    const loop = loopOf('l', [failing('a'), going('b'), going('c')])
    expect(await by(loop)).toBe('Codon 1.2 (b)')
  })

  it('is found in a moment among ten thousand', async () => {
    const codons = Array.from({ length: 10_000 }, (_, at) => codonOf(`c${at}`))
    const hank = under(
      { maxDollars: 10, onExceeded: 'fail' },
      going('x', { onExceeded: 'complete' }),
      ...codons,
    )
    const before = threadTime()
    expect(await warnedIn(hank)).toEqual(['warning overrides.budget.onExceeded'])
    expect(threadTime() - before).toBeLessThan(1_000)
  })
})
