import { expect, test } from 'vitest'
import type { View } from '../src/view-model.ts'
import { currentCodon, outlineOf, runOf } from '../src/view-outline.ts'
import { sampleEvent, transitionData } from './event-samples.ts'
import { type Story, story } from './story.ts'
import { viewOf } from './views-of-stories.ts'

function storyWithSnapshots(): Story {
  const one = story()
  one.startRun('run-1')
  one.run('draft', 0.5)
  one.snapshot()
  one.run('review#0', 0.25)
  one.snapshot()
  one.start('fix#0')
  one.snapshot()
  one.spend('fix#0', 0.125)
  one.complete('fix#0')
  one.start('final')
  return one
}
const shown = (view: View) => ({
  current: currentCodon(view)?.codonId,
  codons: (['draft', 'review#0', 'fix#0', 'final'] as const).map(
    id =>
      view.machine.state.runs
        .at(-1)
        ?.codons.filter(codon => codon.codonId === id)
        .map(codon => ({ status: codon.status, cost: codon.cost })) ?? [],
  ),
})

test('a snapshot alone shows current and completed codons, without a plan', () => {
  const one = storyWithSnapshots()
  const last = one.events.findLast(event => event.type === 'state.snapshot')
  const view = viewOf(last ? [last] : [])
  expect(currentCodon(view)).toMatchObject({ codonId: 'fix#0', status: 'running' })
  expect(outlineOf(view)).toMatchObject([
    { codonId: 'draft', status: 'completed', cost: 0.5 },
    { kind: 'loop', loopId: 'polish', codons: [{ codonId: 'review#0' }, { codonId: 'fix#0' }] },
  ])
  expect(view.totals).toMatchObject({ cost: 0.75, timeMs: 5000 })
  expect(view.machine.complete).toBe(false)
})

test('from any snapshot on, the codons are those of a client that was there from the start', () => {
  const one = storyWithSnapshots()
  const whole = viewOf(one.events)
  one.events.forEach((event, index) => {
    if (event.type !== 'state.snapshot') return
    expect(shown(viewOf(one.events.slice(index)))).toEqual(shown(whole))
  })
})

test('wherever it came in, it is right again at the next snapshot', () => {
  const one = storyWithSnapshots()
  const last = one.events.findLastIndex(event => event.type === 'state.snapshot')
  for (let start = 0; start <= last; start++) {
    expect(shown(viewOf(one.events.slice(start)))).toEqual(shown(viewOf(one.events)))
  }
})

test('before any snapshot it shows the codon that starts', () => {
  const one = storyWithSnapshots()
  const starts = one.events.flatMap((event, index) =>
    event.type === 'state.transition' && event.data.transitionType === 'CodonStarted' ? [index] : [],
  )
  const view = viewOf(one.events.slice(starts.at(-1)))
  expect(currentCodon(view)).toMatchObject({ codonId: 'final', status: 'running' })
  expect(runOf(view)).toMatchObject({ runId: 'run-1', status: 'running' })
})

test('a transition that this client cannot read leaves it late, not broken', () => {
  const one = storyWithSnapshots()
  const strange = transitionData({ type: 'RunStarted', data: {} as never })
  const view = viewOf([sampleEvent('state.transition', strange, { seq: 10_000 })], viewOf(one.events))
  expect(view.machine.complete).toBe(false)
  expect(currentCodon(view)?.codonId).toBe('final')
})

test('it takes the end of its run and the next run like anyone else', () => {
  const one = storyWithSnapshots()
  one.complete('final')
  one.endRun()
  const late = viewOf(one.events.slice(one.events.findIndex(event => event.type === 'state.snapshot')))
  expect(late.machine.state.runs.at(-1)).toMatchObject({ runId: 'run-1', status: 'completed' })
  one.startRun('run-2')
  const after = viewOf(one.events.slice(-2), late)
  expect(after.machine).toMatchObject({ complete: true, settled: [] })
  expect(after.machine.state.runs.at(-1)).toMatchObject({ runId: 'run-2', status: 'running' })
})
