import { describe, expect, test } from 'vitest'
import { nameCheckpoint } from '../../src/at-rest/checkpoint-name.ts'
import type { CheckpointRecord } from '../../src/checkpoint/index.ts'
import { codonPlan, loopPlan, planOf } from '../runner/plans.ts'
import { completed, failed, runOf, stateOf } from '../runner/states.ts'

const plan = planOf(
  codonPlan('draft', { name: 'Write the draft' }),
  loopPlan('rounds', 2, [codonPlan('review', { name: 'Review' })]),
  codonPlan('last', { name: 'Same name' }),
  codonPlan('least', { name: 'same name' }),
)

const sha = (begin: string) => begin.padEnd(40, '0')
const first = sha('cccc1')
const second = sha('cccc2')
const run = runOf('r1', [
  completed('draft', { checkpoints: { 'rig-setup': sha('aaaa'), completed: sha('bbbb') } }),
  completed('review#0', { checkpoints: { completed: first } }),
  failed('review#1', { checkpoints: { error: second } }),
])
const state = stateOf({ ...run, initialCheckpoint: sha('0000') })
const safety: CheckpointRecord = {
  type: 'safety',
  runId: 'r1',
  codonId: 'draft',
  codonName: 'draft',
  status: 'completed',
  sha: sha('dddd'),
  tree: sha('eeee'),
  timestamp: '2026-01-01T00:00:00.000Z',
}
const name = (text: string) => nameCheckpoint(text, { plan, state, safeties: [safety] })

describe('the name of a checkpoint', () => {
  test.each([
    ['draft', sha('bbbb'), 'draft completed, bbbb0000'],
    ['draft:end', sha('bbbb'), 'draft completed, bbbb0000'],
    ['draft:start', sha('aaaa'), 'draft rig-setup, aaaa0000'],
    ['write the DRAFT:start', sha('aaaa'), 'draft rig-setup, aaaa0000'],
    ['review#0', first, 'review#0 completed, cccc1000'],
    ['review', second, 'review#1 error, cccc2000'],
    ['review#1:error', second, 'review#1 error, cccc2000'],
    ['review#1:start', first, 'review#0 completed, cccc1000'],
    ['last-success', first, 'review#0 completed, cccc1000'],
    ['start', sha('0000'), 'the beginning, 00000000'],
    ['end', second, 'review#1 error, cccc2000'],
    ['BBBB', sha('bbbb'), 'draft completed, bbbb0000'],
  ])('%s is understood', (text, expected, label) => {
    expect(name(text)).toMatchObject({ ok: true, sha: expected, label, target: { sha: expected } })
  })

  test('may be the beginning of the sha of a safety checkpoint, which has no place in the plan', () => {
    expect(name('dddd0')).toEqual({ ok: true, sha: sha('dddd'), label: 'safety checkpoint, dddd0000' })
  })

  test.each([
    ['draff', 'There is no codon draff. Did you mean draft?'],
    ['aab', 'Give at least 4 characters'],
    ['ffff', 'no checkpoint begins so'],
    ['cccc', '2 checkpoints begin with cccc: cccc10000000, cccc20000000. Give more of it.'],
    ['same name', '2 codons are called same name: last, least.'],
    ['draft:skipped', 'draft has no checkpoint skipped.'],
    ['last', 'last has no checkpoint end.'],
    ['draft:nonsense', 'A codon has no checkpoint nonsense; there are: rig-setup, completed,'],
  ])('%s is refused with a reason', (text, message) => {
    expect(name(text)).toEqual({ ok: false, message: expect.stringContaining(message) })
  })
})
