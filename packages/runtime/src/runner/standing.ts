import { type CodonExecution, currentRun, type RunState, type WeaveState } from '@weave/protocol'
import { find, type Plan, type Step, start, stepAt } from '../plan/index.ts'
import type { StartedFrom } from './run-record.ts'
import { entryOf, following, lastPassed, threadOf } from './thread.ts'

/** Where an execution stands: what a person's next command would mean, read off the plan and the state alone. Pure. */

/** A place to begin: a codon, and whether its rig has done its work already. */
export interface Beginning {
  readonly step: Step
  readonly withoutRig: boolean
}

/** The codon after the last one, whatever became of that; in a run that has none yet, its first. */
export function nextStep(plan: Plan, state: WeaveState): Beginning | undefined {
  const run = currentRun(state)
  const last = run?.codons.at(-1)
  if (last) return beginning(stepAt(plan, following(plan, last)))
  const { position, withoutRig } = run ? entryOf(plan, state, run) : { position: start, withoutRig: false }
  return beginning(stepAt(plan, position), withoutRig)
}

/** Where a run that goes on from what there is begins: after the last codon that the plan passed. */
export function resumePoint(plan: Plan, state: WeaveState): StartedFrom {
  const run = currentRun(state)
  if (!run) return { type: 'fresh' }
  const passed = lastPassed(plan, state)
  return continuation(run.runId, passed, passed && endCheckpoint(passed))
}

/** A run that does a codon again. */
export interface RedoPoint {
  readonly step: Step
  readonly startedFrom: StartedFrom
  /** The workspace as it was when the codon began; undefined when no version of it is kept. */
  readonly sha: string | undefined
}

/** The last completed or failed codon, and the run that begins after the codon before it. Undefined: there is none. */
export function redoPoint(plan: Plan, state: WeaveState): RedoPoint | undefined {
  const run = currentRun(state)
  const thread = threadOf(state, run)
  const at = thread.findLastIndex(codon => hasRun(codon) && stepOf(plan, codon.codonId))
  const last = thread[at]
  const step = last && stepOf(plan, last.codonId)
  if (!run || !step) return undefined
  const earlier = thread.slice(0, at).findLast(codon => codon.codonId !== last.codonId)
  const sha = startCheckpoint(earlier, run)
  return { step, sha, startedFrom: continuation(run.runId, earlier, sha) }
}

/** The version of the workspace that a codon began with. */
export function startOf(state: WeaveState, { runtimeId }: Step): string | undefined {
  const run = currentRun(state)
  const earlier = threadOf(state, run).findLast(codon => codon.codonId !== runtimeId)
  return startCheckpoint(earlier, run)
}

/** The number of the next attempt at a codon in the present run. */
export function attemptAt(state: WeaveState, { runtimeId }: Step): number {
  const earlier = currentRun(state)?.codons.findLast(codon => codon.codonId === runtimeId)
  return (earlier?.attempt ?? 0) + 1
}

export function stepOf(plan: Plan, codonId: string): Step | undefined {
  const position = find(plan, codonId)
  return position && stepAt(plan, position)
}

function beginning(step: Step | undefined, withoutRig = false): Beginning | undefined {
  return step && { step, withoutRig }
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

function startCheckpoint(earlier: CodonExecution | undefined, run: RunState | undefined): string | undefined {
  return (earlier && endCheckpoint(earlier)) ?? run?.initialCheckpoint
}

function endCheckpoint({ checkpoints }: CodonExecution): string | undefined {
  return checkpoints.completed ?? checkpoints.skipped ?? checkpoints.error
}
