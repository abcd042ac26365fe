import { expect, test } from 'vitest'
import { type CodonExecution, outputsOf } from '../src/index.ts'

const at = (second: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString()
const completed: CodonExecution = {
  codonId: 'draft',
  codonName: 'Draft',
  status: 'completed',
  startTime: at(10),
  endTime: at(20),
  exitStatus: { type: 'success' },
  attempt: 1,
  model: 'sonnet',
  cost: 0,
  tokens: { inputTokens: 0, outputTokens: 0, cacheCreationTokens: 0, cacheReadTokens: 0 },
  assistantMessageCount: 0,
  extensionCount: 0,
  checkpoints: {},
}
const copy = (codonId: string, second: number) => ({ codonId, time: at(second) })

test('the outputs of an attempt are those of its codon that were copied while it went on', () => {
  const copies = [copy('draft', 5), copy('review', 15), copy('draft', 19), copy('draft', 30)]
  expect(outputsOf(completed, copies)).toEqual(copy('draft', 19))
  expect(outputsOf(completed, [copy('draft', 5), copy('draft', 30)])).toBeUndefined()
})

test('an attempt that did not complete has none', () => {
  const { exitStatus: _, ...rest } = completed
  expect(outputsOf({ ...rest, status: 'skipped', endTime: at(20) }, [copy('draft', 15)])).toBeUndefined()
})
