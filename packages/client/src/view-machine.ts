import {
  type CodonExecution,
  currentRun,
  type EventData,
  isLive,
  originIn,
  outputsOf,
  type RunState,
  reduce,
  type StateSummary,
  type Transition,
  type WeaveState,
} from '@weave/protocol'
import {
  type Checkpoint,
  type FileChange,
  type Machine,
  type OutputCopy,
  type View,
  viewCaps,
} from './view-model.ts'

/**
 * The state behind a view. All it does is feed the protocol's `reduce`, and give it something to stand on when the
 * beginning is missing:
 *
 * - **M1** A machine that has seen every transition is `complete` and listens to transitions only.
 * - **M2** A transition that `reduce` refuses means that something was missed. The machine is then late: every snapshot
 *   replaces its codons, and transitions go on from there, until a run starts afresh.
 * - **M3** What is kept is bounded: see `viewCaps`. Sums are not affected, `reduce` changes them by differences.
 */
export function withTransition(machine: Machine, transition: Transition, after: StateSummary): Machine {
  if (transition.type === 'RunStarted') return withRun(machine, transition, after)
  const known = named(machine.state, after)
  const result = reduce(known, transition)
  if (result.ok) return bounded({ ...machine, state: result.state })
  const helped = reduce(assumedRun(known, after, transition), transition)
  return bounded({ ...machine, state: helped.ok ? helped.state : machine.state, complete: false })
}

/** The codons of a snapshot, where nothing better is known. A complete machine keeps its own. */
export function withSnapshot(machine: Machine, data: EventData<'state.snapshot'>, time: string): Machine {
  const codons = [...data.completedCodons, ...(data.currentCodon ? [data.currentCodon] : [])]
  const isNews = machine.state.runs.length === 0 && codons.length > 0
  if (machine.complete && !isNews) return machine
  const known = currentRun(machine.state)
  // Only a running run takes transitions; a snapshot with a current codon says that it is running.
  const run: RunState =
    known && (known.status === 'running' || !data.currentCodon)
      ? { ...known, codons }
      : runNamed(unnamed, codons[0]?.startTime ?? time, codons)
  const state = {
    currentRunId: run.runId,
    runs: [...machine.state.runs.filter(other => other.runId !== run.runId), run],
    totalCost: data.totalCost,
  }
  return bounded({ ...machine, state, settled: [], complete: false })
}

/** All codons that count for the current run, in order of their start: those it builds on and its own. */
export function lineageOf(machine: Machine): readonly CodonExecution[] {
  return [...machine.settled, ...(currentRun(machine.state)?.codons ?? [])]
}

function withRun(machine: Machine, transition: Transition<'RunStarted'>, after: StateSummary): Machine {
  const { startedFrom } = transition.data
  const lineages = withLineage(machine)
  const source = startedFrom.type === 'continuation' ? lineages[startedFrom.runId] : []
  const { record, kept } = originIn(source ?? lineageOf(machine), startedFrom)
  const settled = shortened(kept)
  const result = reduce(machine.state, transition)
  if (!result.ok) {
    const anew = reduce({ currentRunId: null, runs: [], totalCost: after.totalCost }, transition)
    return { state: anew.ok ? anew.state : machine.state, settled, lineages, complete: false }
  }
  const { runs } = result.state
  const sawAll = machine.complete && (runs.length === after.runCount || runs.length > viewCaps.runs)
  // The engine may have a record that was left out here to keep the lineage short.
  const isWhole = record !== undefined || (source !== undefined && source.length < viewCaps.codons / 2)
  const complete = startedFrom.type === 'fresh' || (sawAll && isWhole)
  return bounded({ state: result.state, settled, lineages, complete })
}

/** The lineages of earlier runs and of the current one: the next run may go on from any of them. */
function withLineage(machine: Machine): Machine['lineages'] {
  const { currentRunId } = machine.state
  if (currentRunId === null) return machine.lineages
  const ended = lineageOf(machine).filter(codon => !isLive(codon))
  const others = Object.entries(machine.lineages).filter(([runId]) => runId !== currentRunId)
  return Object.fromEntries([...others.slice(1 - viewCaps.runs), [currentRunId, ended]])
}

/** The run of a snapshot has no id; the next transition brings it. */
const unnamed = ''

function named(state: WeaveState, { currentRunId }: StateSummary): WeaveState {
  const run = currentRun(state)
  if (run?.runId !== unnamed || currentRunId === null) return state
  return { ...state, currentRunId, runs: state.runs.with(-1, { ...run, runId: currentRunId }) }
}

/** A codon starts, so a run is running and no other codon is: what was missed must have been that. */
function assumedRun(state: WeaveState, { currentRunId }: StateSummary, transition: Transition): WeaveState {
  if (transition.type !== 'CodonStarted' || currentRunId === null) return state
  const same = state.runs.find(run => run.runId === currentRunId)
  const ended = same?.codons.filter(codon => !isLive(codon)) ?? []
  const run = runNamed(currentRunId, same?.startTime ?? transition.data.startTime, ended)
  return { ...state, currentRunId, runs: [...state.runs.filter(other => other !== same), run] }
}

function runNamed(runId: string, startTime: string, codons: readonly CodonExecution[]): RunState {
  const cost = codons.reduce((sum, codon) => sum + codon.cost, 0)
  return {
    runId,
    startTime,
    gitBranch: '',
    startedFrom: { type: 'fresh' },
    status: 'running',
    codons,
    cost,
  }
}

/** How many records more than `recentCodons` may gather before they are moved out together. */
const movedTogether = 32

function bounded(machine: Machine): Machine {
  const { runs } = machine.state
  const last = runs.at(-1)
  if (!last) return machine
  const surplus = last.codons.length - viewCaps.recentCodons
  const hasOlder = (runs.at(-2)?.codons.length ?? 0) > 0
  if (surplus <= movedTogether && !hasOlder && runs.length <= viewCaps.runs) return machine
  const older = runs.slice(-viewCaps.runs, -1).map(run => ({ ...run, codons: [] }))
  const moved = Math.max(0, surplus)
  return {
    ...machine,
    state: { ...machine.state, runs: [...older, { ...last, codons: last.codons.slice(moved) }] },
    settled: shortened([...machine.settled, ...last.codons.slice(0, moved)]),
  }
}

/** Old iterations of loops go first: what is outside of loops is in the plan and wants to be seen as done. */
function shortened(codons: readonly CodonExecution[]): readonly CodonExecution[] {
  if (codons.length <= viewCaps.codons) return codons
  const tooMany = codons.length - viewCaps.codons / 2
  let left = tooMany
  const kept = codons.filter(codon => {
    if (!codon.loopContext || left === 0) return true
    left -= 1
    return false
  })
  return kept.slice(-viewCaps.codons)
}

/** What several records of codons come to. */

export function iterationOf(codon: CodonExecution): number {
  return codon.loopContext?.iteration ?? 0
}

/** 0 while it runs. */
export function durationOf(codon: CodonExecution): number {
  if (isLive(codon)) return 0
  return Math.max(0, Date.parse(codon.endTime) - Date.parse(codon.startTime))
}

export function sumOf(codons: readonly CodonExecution[], value: (codon: CodonExecution) => number): number {
  return codons.reduce((sum, codon) => sum + value(codon), 0)
}

/** What a rollback to a checkpoint would undo, as far as the view knows; only the server knows for certain. */
export interface RollbackPreview {
  /** Codons that would have to be done again, in the order in which they ran. */
  readonly codonIds: readonly string[]
  /** Checkpointed files that changed after it, newest first. */
  readonly files: readonly FileChange[]
  /** More files may have changed: the list is full. */
  readonly filesIncomplete: boolean
  /** The codon that runs now would be stopped. */
  readonly stops: string | undefined
  /** Output files that the undone codons copied: they stay where they are. */
  readonly outputs: readonly OutputCopy[]
}

/** The checkpoints of what counts for the current run; others are of codons that were undone. */
export function currentCheckpoints(view: View): ReadonlySet<string> {
  return new Set(lineageOf(view.machine).flatMap(({ checkpoints }) => Object.values(checkpoints)))
}

export function rollbackPreview(view: View, { sha, time }: Checkpoint): RollbackPreview {
  const lineage = lineageOf(view.machine)
  const isFirst = view.checkpoints[0]?.sha === sha
  const owner = lineage.findLastIndex(({ checkpoints }) => Object.values(checkpoints).includes(sha))
  const codonId = lineage[owner]?.codonId
  const undone =
    codonId !== undefined
      ? lineage.slice(
          originIn(lineage, { type: 'continuation', runId: '', codonId, checkpoint: sha }).kept.length,
        )
      : lineage.filter(codon => isFirst || Date.parse(codon.startTime) >= Date.parse(time))
  return {
    codonIds: [...new Set(undone.map(({ codonId }) => codonId))],
    files: view.files.filter(file => Date.parse(file.time) > Date.parse(time)).toReversed(),
    filesIncomplete: view.files.length >= viewCaps.files,
    stops: lineage.findLast(isLive)?.codonId,
    outputs: undone.flatMap(record => outputsOf(record, view.outputs) ?? []),
  }
}
