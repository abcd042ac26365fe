import {
  type CodonExecution,
  currentRun,
  lineageOf,
  originOf,
  type RunState,
  type WeaveState,
} from '@weave/protocol'
import { dueAt, isLoopOver, type Ledger, ledgerOf, type TimeNotes } from '../budget/index.ts'
import { after, codonAt, find, type Plan, type PlannedCodonAt, type Position, start } from '../plan/index.ts'

/**
 * Where a run stands in its plan, read off the state alone. A run that goes on from another one begins where its
 * `startedFrom` says; from then on the last codon that ended says what is next.
 */

export type StartedFrom = RunState['startedFrom']

/** The first step of a run. `withoutRig`: the workspace is already as the rig left it. */
export function entryOf(
  plan: Plan,
  state: WeaveState,
  run: RunState,
): { readonly position: Position; readonly withoutRig: boolean } {
  const { record, afterRig } = originOf(state, run.startedFrom)
  const position = record && find(plan, record.codonId)
  if (!record || !position) return { position: start, withoutRig: false }
  if (afterRig) return { position, withoutRig: true }
  return {
    position: after(plan, position, { leaveLoop: leavesLoop(plan, position, record) }),
    withoutRig: false,
  }
}

/** What follows a codon that ended, when the run goes on. */
export function following(plan: Plan, record: CodonExecution): Position {
  const position = find(plan, record.codonId)
  if (!position) return { item: plan.items.length, iteration: 0, index: 0 }
  return after(plan, position, { leaveLoop: leavesLoop(plan, position, record) })
}

/** A full context ends a loop that runs until then. */
export function leavesLoop(plan: Plan, position: Position, record: CodonExecution): boolean {
  const { loop } = codonAt(plan, position) ?? {}
  return loop?.limit === null && 'contextExceeded' in record && record.contextExceeded === true
}

/**
 * Whether the plan goes on after a codon that ended so. A failure after the agent's work was done is one of output
 * copying or archiving: that fails the run, whatever `onFailure` says.
 */
export function isPassed(record: CodonExecution, at: PlannedCodonAt | undefined): boolean {
  if (record.status === 'completed' || record.status === 'skipped') return true
  if (record.status !== 'failed' || record.failedDuring === 'completing-sentinels') return false
  return at?.codon.onFailure === 'ignore'
}

/** Ended from outside (a crash, a shutdown, a stop by force), not by a failure of its own: `onFailure` does not speak of it. */
export function wasInterrupted(record: CodonExecution): boolean {
  if (record.status !== 'failed' || record.exitStatus.type !== 'killed' || record.budgetExceeded) return false
  return record.failureReason.type !== 'timeout'
}

/** The codon that begins again after its rig, when a run is started so. */
export function rigKeptBy(state: WeaveState, startedFrom: StartedFrom): string | undefined {
  const { record, afterRig } = originOf(state, startedFrom)
  return afterRig ? record?.codonId : undefined
}

/** Where a resumed execution goes on: after the last codon that the plan passed, or undefined for the beginning. */
export function lastPassed(plan: Plan, state: WeaveState): CodonExecution | undefined {
  const thread = lineageOf(state, state.runs.at(-1))
  return thread.findLast((record, at) => {
    const position = find(plan, record.codonId)
    const cutOff = at === thread.length - 1 && wasInterrupted(record)
    return !cutOff && isPassed(record, position && codonAt(plan, position))
  })
}

/** Whether the plan has come to its end. */
export function nothingLeft(plan: Plan, state: WeaveState, notes: TimeNotes = {}): boolean {
  const last = lastPassed(plan, state)
  const newest = lineageOf(state, state.runs.at(-1)).at(-1)
  if (!last || last !== newest) return false
  return dueAt(plan, ledgerOf(state, notes), following(plan, last)).due === undefined
}

/** Whether the open run has done something and nothing is left to do. */
export function hasDoneAll({
  plan,
  recorder: { state },
  times,
}: {
  readonly plan: Plan
  readonly recorder: { readonly state: WeaveState }
  readonly times?: (() => TimeNotes) | undefined
}): boolean {
  return currentRun(state)?.codons.length !== 0 && nothingLeft(plan, state, times?.())
}

/**
 * The session that a `continue-previous` codon goes on from: that of the nearest earlier codon of the thread that has one,
 * whatever became of it. Earlier attempts at the codon itself do not count: an attempt begins where the codon began.
 */
export function previousSession(state: WeaveState, codonId: string): string | undefined {
  const record = lineageOf(state, state.runs.at(-1)).findLast(
    codon => codon.codonId !== codonId && 'sessionId' in codon && codon.sessionId !== undefined,
  )
  return record && 'sessionId' in record ? record.sessionId : undefined
}

/** Whether the rest of the loop after a codon may spend nothing of what there is now. */
export function isLoopDry(plan: Plan, { loop, position }: PlannedCodonAt, ledger: Ledger): boolean {
  const next = codonAt(plan, after(plan, position))
  return next?.loop !== undefined && next.loop.id === loop?.id && isLoopOver(plan, ledger, next)
}
