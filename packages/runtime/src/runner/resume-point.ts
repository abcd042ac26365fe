import { type CodonExecution, currentRun, lineageOf, type WeaveState } from '@weave/protocol'
import { codonAt, codonNamed, type Plan, type PlannedCodonAt, start } from '../plan/index.ts'
import type { Activity, Situation } from './command-rules.ts'
import type { StartedFrom } from './lineage.ts'
import { entryOf, following, lastPassed } from './lineage.ts'

/** Where an execution stands: what a person's next command would mean, read off the plan and the state alone. Pure. */

/** A place to begin: a codon, and whether its rig has done its work already. */
export interface Beginning {
  readonly at: PlannedCodonAt
  readonly withoutRig: boolean
}

/** The codon after the last one, whatever became of that; in a run that has none yet, its first. */
export function nextStep(plan: Plan, state: WeaveState): Beginning | undefined {
  const run = currentRun(state)
  const last = run?.codons.at(-1)
  if (last) return beginning(codonAt(plan, following(plan, last)))
  const { position, withoutRig } = run ? entryOf(plan, state, run) : { position: start, withoutRig: false }
  return beginning(codonAt(plan, position), withoutRig)
}

/** Where a run that goes on from what there is begins: after the last codon that the plan passed. */
export function resumePoint(plan: Plan, state: WeaveState): StartedFrom {
  const run = currentRun(state)
  if (!run) return { type: 'fresh' }
  const passed = lastPassed(plan, state)
  return continuation(run.runId, passed, startCheckpoint(state, passed))
}

/**
 * Where a start goes on. A run that did nothing leaves its own beginning to the next start: a rollback may have opened it
 * after a rig, or after a codon that failed.
 */
export function startPoint(plan: Plan, state: WeaveState): StartedFrom {
  const run = currentRun(state)
  const isUntouched = run?.codons.length === 0 && run.startedFrom.type === 'continuation'
  return isUntouched ? run.startedFrom : resumePoint(plan, state)
}

/** A run that does a codon again. */
export interface RedoPoint {
  readonly at: PlannedCodonAt
  readonly startedFrom: StartedFrom
  /** The workspace as it was when the codon began; undefined when no version of it is kept. */
  readonly sha: string | undefined
}

/** The last completed or failed codon, and the run that begins after the codon before it. Undefined: there is none. */
export function redoPoint(plan: Plan, state: WeaveState): RedoPoint | undefined {
  const run = currentRun(state)
  const thread = lineageOf(state, run)
  const index = thread.findLastIndex(codon => hasRun(codon) && codonNamed(plan, codon.codonId))
  const last = thread[index]
  const at = last && codonNamed(plan, last.codonId)
  if (!run || !at) return undefined
  const earlier = thread.slice(0, index).findLast(codon => codon.codonId !== last.codonId)
  const sha = startCheckpoint(state, earlier)
  return { at, sha, startedFrom: continuation(run.runId, earlier, sha) }
}

/** The version of the workspace that a codon began with. */
export function startOf(state: WeaveState, { runtimeId }: PlannedCodonAt): string | undefined {
  const earlier = lineageOf(state, currentRun(state)).findLast(codon => codon.codonId !== runtimeId)
  return startCheckpoint(state, earlier)
}

/** The number of the next attempt at a codon in the present run. */
export function attemptAt(state: WeaveState, { runtimeId }: PlannedCodonAt): number {
  const earlier = currentRun(state)?.codons.findLast(codon => codon.codonId === runtimeId)
  return (earlier?.attempt ?? 0) + 1
}

/** What the fate of a command depends on. */
export function situationOf(plan: Plan, state: WeaveState, activity: Activity): Situation {
  return {
    activity,
    hasNext: nextStep(plan, state) !== undefined,
    hasHistory: redoPoint(plan, state) !== undefined,
  }
}

function beginning(at: PlannedCodonAt | undefined, withoutRig = false): Beginning | undefined {
  return at && { at, withoutRig }
}

function hasRun({ status }: CodonExecution): boolean {
  return status === 'completed' || status === 'failed'
}

function continuation(
  runId: string,
  after: CodonExecution | undefined,
  checkpoint: string | undefined,
): StartedFrom {
  return {
    type: 'continuation',
    runId,
    ...(after && { codonId: after.codonId }),
    ...(checkpoint !== undefined && { checkpoint }),
  }
}

/** With nothing before it a codon begins where everything began; its run may have begun later, after its rig. */
function startCheckpoint(state: WeaveState, earlier: CodonExecution | undefined): string | undefined {
  if (!earlier) return state.runs[0]?.initialCheckpoint
  return endCheckpoint(earlier) ?? currentRun(state)?.initialCheckpoint
}

function endCheckpoint({ checkpoints }: CodonExecution): string | undefined {
  return checkpoints.completed ?? checkpoints.skipped ?? checkpoints.error
}
