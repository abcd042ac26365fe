import { expect, test } from 'vitest'
import { spentExecution } from '../../../../test/support/spent-execution.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { readCosts } from '../../src/at-rest/read-execution.ts'
import { executionLayout } from '../../src/workspace/index.ts'

test('the costs of an execution are read off its journal, also while a codon runs', async () => {
  const dir = await spentExecution(await tempDir({ inMemory: true }))
  expect(await readCosts(executionLayout(dir))).toMatchObject({
    codons: [{ codonId: 'a', cost: 2.5, prices: { source: 'a list' } }],
    totals: { all: 2.5 },
  })
})

test('an execution that has not begun has no costs', async () => {
  const dir = await spentExecution(await tempDir({ inMemory: true }), { begun: false })
  expect(await readCosts(executionLayout(dir))).toBeUndefined()
})
