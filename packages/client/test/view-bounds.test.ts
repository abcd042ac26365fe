import type { EventData, ServerEvent, Transition } from '@weave/protocol'
import { expect, test } from 'vitest'
import { ringItems } from '../src/ring.ts'
import { reduceView } from '../src/view.ts'
import { emptyView, type View, viewCaps } from '../src/view-model.ts'
import { currentCodon, outlineOf } from '../src/view-outline.ts'
import { numbered, timeAt, tokens, transitionData } from './event-samples.ts'

/** An endless loop of codons with all that comes with them: fifteen events each, all different. */
function* longRun(count: number): Generator<ServerEvent> {
  const next = numbered()
  const move = (transition: Transition) => next('state.transition', transitionData(transition)) as ServerEvent
  const run = {
    runId: 'run-1',
    startTime: timeAt(0),
    gitBranch: 'b',
    startedFrom: { type: 'fresh' },
  } as const
  const named = { codonName: 'Work', attempt: 1, model: 'm' }
  yield move({ type: 'RunStarted', data: run })
  yield move({ type: 'CodonStarted', data: { codonId: 'first', ...named, startTime: timeAt(0) } })
  yield move({ type: 'CodonTransitioned', data: { codonId: 'first', to: 'skipped', endTime: timeAt(1) } })
  for (let index = 0; index * 15 < count; index++) {
    const codonId = `work#${index}`
    const loopContext = { loopId: 'loop', iteration: index, codonIndexInLoop: 0 }
    const sentinel = { sentinelId: `s${index}`, codonId }
    const breach = { currency: 'dollars', limit: 1, used: 2, scope: 'codon', onExceeded: 'complete' } as const
    const result: EventData<'tool.result'> = {
      codonId,
      toolUseId: 't',
      toolName: 'bash',
      result: 'x'.repeat(50),
      truncated: false,
      originalLength: 50,
      executionTimeMs: 1,
      isError: false,
    }
    const started = { codonId, ...named, startTime: timeAt(index), loopContext }
    yield move({ type: 'CodonStarted', data: started })
    yield move({ type: 'CodonTransitioned', data: { codonId, to: 'starting' } })
    yield move({ type: 'CostsIncremented', data: { codonId, cost: 0.5, tokens } })
    yield next('sentinel.error', {
      ...sentinel,
      errorType: 'llm-call-failed',
      message: 'm',
      retriable: true,
      consecutiveFailureCount: 1,
    })
    for (let step = 0; step < 3; step++) {
      yield next('assistant.action', { codonId, action: 'message', content: `step ${step}` })
      yield next('tool.result', result)
    }
    yield next('file.updated', { path: `f${index}`, filename: 'f', content: 'c', action: 'created' })
    yield next('budget.exceeded', { ...breach, codonId })
    yield move({
      type: 'CheckpointCreated',
      data: { codonId, checkpointType: 'skipped', sha: `sha${index}` },
    })
    yield move({ type: 'CodonTransitioned', data: { codonId, to: 'skipped', endTime: timeAt(index + 1) } })
    yield next('loop.iteration.completed', {
      loopId: 'loop',
      iteration: index,
      cost: 0.5,
      duration: 1000,
      last: false,
    })
  }
}

test('a view of 100,000 events is small, quick to make, and still right', () => {
  const events = [...longRun(100_000)]
  const { view, ratio } = timed(events)
  const codons = Math.ceil(100_000 / 15)

  expect(view.eventCount).toBeGreaterThanOrEqual(100_000)
  expect(sizes(view)).toEqual({
    stream: true,
    settled: true,
    recentCodons: true,
    files: viewCaps.files,
    checkpoints: viewCaps.checkpoints,
    sentinels: viewCaps.sentinels,
    breaches: viewCaps.breaches,
  })
  expect(ringItems(view.stream, 1)[0]?.text).toBe(`loop loop: iteration ${codons} done in 1.0 s, $0.5000`)
  expect(currentCodon(view)).toBeUndefined()
  expect(view.machine.complete).toBe(true)
  expect(outlineOf(view)).toMatchObject([
    { codonId: 'first', status: 'skipped' },
    { completed: codons, cost: codons * 0.5, durationMs: codons * 1000 },
  ])
  expect(JSON.stringify(view).length).toBeLessThan(2_000_000)
  expect(ratio).toBeLessThan(10)
})

test('a hundred runs and more leave the last hundred, without their codons', () => {
  const next = numbered()
  let view: View = emptyView
  for (let run = 1; run <= viewCaps.runs + 50; run++) {
    const summary = { currentRunId: `r${run}`, runCount: run }
    const move = (transition: Transition): void => {
      view = reduceView(view, next('state.transition', transitionData(transition, summary)))
    }
    const startedFrom =
      run === 1
        ? ({ type: 'fresh' } as const)
        : ({ type: 'continuation', runId: `r${run - 1}`, codonId: 'c' } as const)
    const codon = { codonId: 'c', codonName: 'C', attempt: 1, model: 'm', startTime: timeAt(run) }
    move({
      type: 'RunStarted',
      data: { runId: `r${run}`, startTime: timeAt(run), gitBranch: 'b', startedFrom },
    })
    move({ type: 'CodonStarted', data: codon })
    move({ type: 'CodonTransitioned', data: { codonId: 'c', to: 'skipped', endTime: timeAt(run) } })
    move({ type: 'RunCompleted', data: { runId: `r${run}`, endTime: timeAt(run), outcome: 'completed' } })
  }
  const { runs } = view.machine.state
  expect(runs).toHaveLength(viewCaps.runs)
  expect(runs.slice(0, -1).every(run => run.codons.length === 0)).toBe(true)
  expect(view.machine.complete).toBe(true)
  expect(view.machine.settled.length).toBe(viewCaps.runs + 49)
})

/**
 * The view, and how much longer it took to make than to read and write the events as JSON. Both are timed in turns, so
 * that a busy machine slows them alike; on an idle one the view takes about a second.
 */
function timed(events: readonly ServerEvent[]) {
  let view: View = emptyView
  let reducing = 0
  let reading = 0
  for (let start = 0; start < events.length; start += 1000) {
    const slice = events.slice(start, start + 1000)
    const first = performance.now()
    view = slice.reduce(reduceView, view)
    const second = performance.now()
    for (const event of slice) JSON.parse(JSON.stringify(event))
    reducing += second - first
    reading += performance.now() - second
  }
  return { view, ratio: reducing / reading }
}

function sizes(view: View) {
  return {
    stream: view.stream.size <= viewCaps.stream && view.stream.size > viewCaps.stream - 64,
    settled: view.machine.settled.length <= viewCaps.codons && view.machine.settled.length > 900,
    recentCodons: (view.machine.state.runs.at(-1)?.codons.length ?? 0) <= viewCaps.recentCodons + 64,
    files: view.files.length,
    checkpoints: view.checkpoints.length,
    sentinels: view.sentinels.length,
    breaches: view.breaches.length,
  }
}
