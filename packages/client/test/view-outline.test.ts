import { expect, test } from 'vitest'
import { emptyView } from '../src/view-model.ts'
import { currentCodon, isCostUnknown, outlineOf, runOf } from '../src/view-outline.ts'
import { timeAt, tokens } from './event-samples.ts'
import { story } from './story.ts'
import { told, viewOf } from './views-of-stories.ts'

test('the state is what the protocol makes of the transitions', () => {
  const one = story()
  one.startRun('run-1')
  one.run('draft', 0.25)
  one.start('review#0')
  const view = viewOf(one.events)
  expect(view.machine).toEqual({ state: one.state, settled: [], lineages: {}, complete: true })
  expect(view.totals).toMatchObject({ cost: 0.25, runCost: 0.25 })
  expect(currentCodon(view)).toMatchObject({ codonId: 'review#0', status: 'running', attempts: 1 })
})

test('the outline shows every item of the plan with what became of it', () => {
  const view = told(one => {
    one.startRun('run-1')
    one.run('draft', 0.25)
    one.run('review#0', 0.1)
    one.run('fix#0', 0.1)
    one.tell('loop.iteration.completed', {
      loopId: 'polish',
      iteration: 0,
      cost: 0.2,
      duration: 4000,
      last: false,
    })
    one.start('review#1')
    one.spend('review#1', 0.05)
  })
  expect(outlineOf(view)).toMatchObject([
    { kind: 'codon', codonId: 'draft', status: 'completed', cost: 0.25, durationMs: 1000, tokens },
    {
      kind: 'loop',
      loopId: 'polish',
      name: 'Polish',
      limit: 3,
      iteration: 1,
      completed: 1,
      ended: false,
      cost: 0.25,
      codons: [
        { codonId: 'review#1', status: 'running', cost: 0.05, runningSince: expect.any(String) },
        { codonId: 'fix#1', status: 'pending', attempts: 0, cost: 0 },
      ],
    },
    { kind: 'codon', codonId: 'final', status: 'pending', model: 'opus', attempts: 0 },
  ])
})

test('attempts of one codon are one line with the cost of all', () => {
  const view = told(one => {
    one.startRun('run-1')
    one.start('draft')
    one.spend('draft', 0.5)
    one.fail('draft')
    one.start('draft', 2)
    one.spend('draft', 0.25)
  })
  expect(outlineOf(view)[0]).toMatchObject({ attempts: 2, cost: 0.75, status: 'running', durationMs: 1000 })
  expect(currentCodon(view)).toMatchObject({ attempts: 2, cost: 0.75 })
})

test('a failed codon has its reason, a codon ended by a budget its breach', () => {
  const budgetExceeded = { currency: 'dollars', limit: 1, used: 1.2, scope: 'codon' } as const
  const view = told(one => {
    one.startRun('run-1')
    one.start('draft')
    one.fail('draft', 'overloaded')
    one.start('final')
    one.move({ type: 'CodonTransitioned', data: { codonId: 'final', to: 'completing-sentinels' } })
    one.tell('budget.exceeded', { ...budgetExceeded, codonId: 'final', onExceeded: 'complete' })
    one.move({
      type: 'CodonTransitioned',
      data: {
        codonId: 'final',
        to: 'completed',
        endTime: timeAt(99),
        budgetExceeded,
        exitStatus: { type: 'success' },
      },
    })
  })
  expect(outlineOf(view)).toMatchObject([
    { status: 'failed', failureReason: { message: 'overloaded' } },
    {},
    { status: 'completed', budgetExceeded },
  ])
  expect(view.breaches).toMatchObject([{ codonId: 'final', scope: 'codon', onExceeded: 'complete' }])
})

test('the run has its status, its reason and its end', () => {
  expect(runOf(emptyView)).toBeUndefined()
  const view = told(one => {
    one.startRun('run-1')
    one.run('draft', 0.5)
    one.move({ type: 'RunFailed', data: { runId: 'run-1', endTime: timeAt(90), reason: 'no money' } })
  })
  expect(runOf(view)).toEqual({
    runId: 'run-1',
    status: 'failed',
    startTime: timeAt(1),
    endTime: timeAt(90),
    reason: 'no money',
    hankName: 'A hank',
    cost: 0.5,
  })
})

test('an unknown price is known to be unknown', () => {
  const view = told(one => {
    one.startRun('run-1')
    one.start('draft')
    one.move({ type: 'CostsUpdated', data: { codonId: 'draft', cost: 0, tokens, costUnknown: true } })
  })
  expect(isCostUnknown(view)).toBe(true)
  expect(outlineOf(view)[0]).toMatchObject({ costUnknown: true })
  expect(isCostUnknown(emptyView)).toBe(false)
})

test('a rollback to the end of a codon keeps it and what came before', () => {
  const view = told(one => {
    one.startRun('run-1')
    const checkpoint = one.run('draft', 0.5)
    one.run('review#0', 0.25)
    one.endRun('stopped')
    one.startRun('run-2', { type: 'continuation', runId: 'run-1', codonId: 'draft', checkpoint })
  })
  expect(outlineOf(view)).toMatchObject([
    { status: 'completed', cost: 0.5 },
    { completed: 0, codons: [{ status: 'pending' }, { status: 'pending' }] },
    { status: 'pending' },
  ])
  expect(view.totals.cost).toBe(0.75)
  expect(view.machine.complete).toBe(true)
})

test('a rollback to the start of a codon takes all its attempts away', () => {
  const view = told(one => {
    one.startRun('run-1')
    one.run('draft')
    one.start('final')
    one.move({
      type: 'CheckpointCreated',
      data: { codonId: 'final', checkpointType: 'rig-setup', sha: 'rig' },
    })
    one.fail('final')
    one.start('final', 2)
    one.complete('final')
    one.endRun('stopped')
    one.startRun('run-2', { type: 'continuation', runId: 'run-1', codonId: 'final', checkpoint: 'rig' })
  })
  expect(outlineOf(view)).toMatchObject([{ status: 'completed' }, {}, { status: 'pending', attempts: 0 }])
})

test('iterations behind the checkpoint still count, later ones do not', () => {
  const view = told(one => {
    one.startRun('run-1')
    let checkpoint = ''
    for (const iteration of [0, 1, 2]) {
      one.run(`review#${iteration}`, 0.5)
      const done = one.run(`fix#${iteration}`, 0.5)
      if (iteration === 1) checkpoint = done
      one.tell('loop.iteration.completed', {
        loopId: 'polish',
        iteration,
        cost: 1,
        duration: 2000,
        last: iteration === 2,
      })
    }
    one.endRun('stopped')
    one.startRun('run-2', { type: 'continuation', runId: 'run-1', codonId: 'fix#1', checkpoint })
  })
  expect(outlineOf(view)[1]).toMatchObject({ completed: 2, iteration: 1, ended: false, cost: 2 })
})

test('a resume after a crash keeps what had ended', () => {
  const one = story()
  one.startRun('run-1')
  const checkpoint = one.run('draft')
  one.start('final')
  one.move({ type: 'RunCrashed', data: { runId: 'run-1', endTime: timeAt(500) } })
  one.startRun('run-2', { type: 'continuation', runId: 'run-1', codonId: 'draft', checkpoint })
  const view = viewOf(one.events)
  expect(outlineOf(view)).toMatchObject([{ status: 'completed' }, {}, { status: 'pending' }])
  expect(currentCodon(view)).toBeUndefined()
})
