import {
  type CheckpointType,
  type CodonExecution,
  currentRun,
  emptyState,
  lineageOf as lineageInEngine,
  liveCodon,
  type RunState,
  reduce,
  summarize,
  type Transition,
  type WeaveState,
} from '@weave/protocol'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { tally } from '../../../test/support/proof.ts'
import { assertSample } from '../../../test/support/sampled.ts'
import { lineageOf, withTransition } from '../src/view-machine.ts'
import { emptyView, type Machine } from '../src/view-model.ts'
import { timeAt } from './event-samples.ts'

/** What happens next; numbers choose among what is possible where the history stands. */
interface Turn {
  readonly does: 'codon' | 'redo' | 'end run' | 'crash'
  readonly ends: 'completed' | 'failed' | 'skipped'
  readonly rigged: boolean
  readonly pick: number
  readonly from: 'fresh' | 'resume' | 'rollback' | 'beginning'
}

const turns = fc.array(
  fc.record<Turn>({
    does: fc.constantFrom('codon', 'codon', 'codon', 'redo', 'end run', 'crash'),
    ends: fc.constantFrom('completed', 'completed', 'failed', 'skipped'),
    rigged: fc.boolean(),
    pick: fc.nat({ max: 1_000 }),
    from: fc.constantFrom('resume', 'rollback', 'rollback', 'rollback', 'beginning', 'fresh'),
  }),
  { minLength: 5, maxLength: 30, size: 'max' },
)

test('after any history of retries, resumes, rollbacks and undos a client shows the codons that the engine builds on', async () => {
  let compared = 0
  const histories = await assertSample(
    fc.property(turns, path => {
      const history = begin()
      for (const turn of path) take(history, turn)
      compared += history.compared
    }),
    { whole: 1_000, atLeast: 100 },
  )
  expect(compared).toBeGreaterThan(20 * histories)
  tally('histories shown alike by client and engine', histories)
})

interface History {
  state: WeaveState
  machine: Machine
  count: number
  compared: number
}

function begin(): History {
  return { state: emptyState, machine: emptyView.machine, count: 0, compared: 0 }
}

function take(history: History, turn: Turn): void {
  if (currentRun(history.state)?.status !== 'running') startRun(history, turn)
  else if (turn.does === 'end run') endRun(history)
  else if (turn.does === 'crash') crash(history, turn)
  else runCodon(history, turn)
}

function runCodon(history: History, turn: Turn): void {
  const run = currentRun(history.state)
  const again = turn.does === 'redo' ? run?.codons.at(-1)?.codonId : undefined
  startCodon(history, again ?? ['a', 'b', 'c', 'd'][turn.pick % 4] ?? 'a')
  const codonId = liveCodon(history.state)?.codonId ?? ''
  if (turn.rigged) checkpoint(history, codonId, 'rig-setup')
  for (const to of ['starting', 'completing-sentinels'] as const)
    move(history, { type: 'CodonTransitioned', data: { codonId, to } })
  checkpoint(history, codonId, turn.ends === 'failed' ? 'error' : turn.ends)
  endCodon(history, codonId, turn.ends)
}

function startCodon(history: History, codonId: string): void {
  const earlier = currentRun(history.state)?.codons.findLast(codon => codon.codonId === codonId)
  const attempt = (earlier?.attempt ?? 0) + 1
  const record = { codonId, codonName: codonId, startTime: now(history), attempt, model: 'sonnet' }
  move(history, { type: 'CodonStarted', data: record })
}

function endCodon(history: History, codonId: string, to: Turn['ends']): void {
  const end = { codonId, endTime: now(history) }
  const failureReason = { type: 'unknown', retriable: true } as const
  if (to === 'completed')
    move(history, {
      type: 'CodonTransitioned',
      data: { ...end, to, exitStatus: { type: 'success' } },
    })
  else if (to === 'skipped') move(history, { type: 'CodonTransitioned', data: { ...end, to } })
  else
    move(history, {
      type: 'CodonTransitioned',
      data: { ...end, to, exitStatus: { type: 'error', code: 1 }, failureReason },
    })
}

function crash(history: History, { pick }: Turn): void {
  if (pick % 2 === 0) startCodon(history, 'a')
  move(history, { type: 'RunCrashed', data: { runId: runIdOf(history), endTime: now(history) } })
}

function endRun(history: History): void {
  const end = { runId: runIdOf(history), endTime: now(history), outcome: 'stopped' } as const
  move(history, { type: 'RunCompleted', data: end })
}

function startRun(history: History, { from, pick }: Turn): void {
  const runId = `run-${history.state.runs.length}`
  const startedFrom = originFor(history.state, from, pick)
  const run = { runId, startTime: now(history), gitBranch: runId, startedFrom }
  move(history, { type: 'RunStarted', data: run })
}

/** A rollback may go to any checkpoint of any run, an undone one too; an undo is a rollback to a run before the last. */
function originFor(state: WeaveState, from: Turn['from'], pick: number): RunState['startedFrom'] {
  const run = from === 'rollback' ? state.runs[pick % Math.max(1, state.runs.length)] : state.runs.at(-1)
  if (!run || from === 'fresh') return { type: 'fresh' }
  const lineage = lineageInEngine(state, run)
  const record = from === 'resume' ? lineage.at(-1) : lineage[pick % Math.max(1, lineage.length)]
  if (!record || from === 'beginning') return { type: 'continuation', runId: run.runId }
  const shas = Object.values(record.checkpoints)
  const checkpoint = shas[pick % Math.max(1, shas.length)]
  return {
    type: 'continuation',
    runId: run.runId,
    codonId: record.codonId,
    ...(checkpoint !== undefined && { checkpoint }),
  }
}

function checkpoint(history: History, codonId: string, checkpointType: CheckpointType): void {
  history.count += 1
  move(history, { type: 'CheckpointCreated', data: { codonId, checkpointType, sha: `sha${history.count}` } })
}

/** Every transition goes to both, and both must then agree. */
function move(history: History, transition: Transition): void {
  const result = reduce(history.state, transition)
  if (!result.ok) throw new Error(`the history is not legal: ${result.reason}`)
  history.state = result.state
  history.machine = withTransition(history.machine, transition, summarize(result.state))
  expect(history.machine.complete).toBe(true)
  expect(marks(lineageOf(history.machine))).toEqual(
    marks(lineageInEngine(result.state, currentRun(result.state))),
  )
  history.compared += 1
}

function marks(codons: readonly CodonExecution[]): readonly string[] {
  return codons.map(
    ({ codonId, attempt, startTime, status }) => `${codonId} ${attempt} ${startTime} ${status}`,
  )
}

function runIdOf(history: History): string {
  return history.state.currentRunId ?? ''
}

function now(history: History): string {
  history.count += 1
  return timeAt(history.count)
}
