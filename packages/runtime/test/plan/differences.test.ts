import { describe, expect, test } from 'vitest'
import { planDifferences } from '../../src/plan/index.ts'
import { codonPlan, loopPlan, planOf } from '../runner/plans.ts'

describe('the differences of two plans', () => {
  test('are named by codon and field, in the words of the hank, with old and new', () => {
    const before = planOf(
      codonPlan('a', { rig: [{ type: 'command', command: { run: 'exit 1' } }] }),
      codonPlan('b', { budget: { maxDollars: 1 } }),
    )
    const after = planOf(
      codonPlan('a', { rig: [{ type: 'command', command: { run: 'exit 0' } }], prompt: { files: ['a.md'] } }),
      codonPlan('b', { budget: { maxDollars: 2 }, env: { DEPTH: '3' } }),
    )
    expect(planDifferences(before, after)).toEqual([
      { owner: 'codon a', field: 'promptText', before: '"work on a"' },
      { owner: 'codon a', field: 'rigSetup[0].command.run', before: '"exit 1"', after: '"exit 0"' },
      { owner: 'codon a', field: 'promptFile', after: '["a.md"]' },
      { owner: 'codon b', field: 'env.DEPTH', after: '"3"' },
      { owner: 'codon b', field: 'budget.maxDollars', before: '1', after: '2' },
    ])
  })

  test('say which codons are new, gone or elsewhere, and what a loop does', () => {
    const before = planOf(codonPlan('a'), codonPlan('b'), loopPlan('polish', 3, [codonPlan('c')]))
    const after = planOf(codonPlan('b'), codonPlan('a'), loopPlan('polish', null, [codonPlan('d')]))
    expect(planDifferences(before, after)).toEqual([
      { owner: 'codon b', field: 'place', before: 'after codon a', after: 'first' },
      { owner: 'codon a', field: 'place', before: 'first', after: 'after codon b' },
      { owner: 'loop polish', field: 'place', before: 'after codon b', after: 'after codon a' },
      { owner: 'loop polish', field: 'terminateOn.limit', before: '3', after: '"contextExceeded"' },
      { owner: 'codon d', field: '', after: '"d"' },
      { owner: 'codon c', field: '', before: '"c"' },
    ])
  })

  test('leave out what no hank says: sizes of models, ceilings', () => {
    const plan = planOf(codonPlan('a'))
    const [item] = plan.items
    if (item?.kind !== 'codon') throw new Error('no codon')
    const other = { ...item, model: { ...item.model, contextWindow: 5, maxOutputTokens: 9 } }
    const ceilings = { maxDollars: { value: 1, origin: '--max-cost' } }
    expect(planDifferences(plan, { ...plan, items: [other], ceilings })).toEqual([])
  })
})
