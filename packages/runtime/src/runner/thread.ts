import type { CodonExecution, RunState, WeaveState } from '@weave/protocol'
import { after, find, type Plan, type Position, type Step, start, stepAt } from '../plan/index.ts'

/**
 * Where a run stands in its plan, read off the state alone. A run that goes on from another one begins where its
 * `startedFrom` says; from then on the last codon that ended says what is next.
 */

/** The first step of a run. `withoutRig`: the workspace is already as the rig left it. */
export function entryOf(
  plan: Plan,
  state: WeaveState,
  run: RunState,
): { readonly position: Position; readonly withoutRig: boolean } {
  const { startedFrom } = run
  if (startedFrom.type === 'fresh' || startedFrom.codonId === undefined)
    return { position: start, withoutRig: false }
  const record = recordOf(state, startedFrom.runId, startedFrom.codonId)
  const position = find(plan, startedFrom.codonId)
  if (!record || !position) return { position: start, withoutRig: false }
  const afterRig =
    startedFrom.checkpoint !== undefined && record.checkpoints['rig-setup'] === startedFrom.checkpoint
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
  const { loop } = stepAt(plan, position) ?? {}
  return loop?.limit === null && 'contextExceeded' in record && record.contextExceeded === true
}

/**
 * Whether the plan goes on after a codon that ended so. A failure after the agent's work was done is one of output
 * copying or archiving: that fails the run, whatever `onFailure` says.
 */
export function isPassed(record: CodonExecution, step: Step | undefined): boolean {
  if (record.status === 'completed' || record.status === 'skipped') return true
  if (record.status !== 'failed' || record.failedDuring === 'completing-sentinels') return false
  return step?.codon.onFailure === 'ignore'
}

/** The codons of the thread that a run belongs to, oldest first: its own and those it went on from. */
export function threadOf(state: WeaveState, run: RunState | undefined): readonly CodonExecution[] {
  if (!run) return []
  const { startedFrom } = run
  if (startedFrom.type === 'fresh') return run.codons
  const base = state.runs.find(each => each.runId === startedFrom.runId)
  const before = threadOf(state, base)
  const cut =
    startedFrom.codonId === undefined
      ? -1
      : before.findLastIndex(codon => codon.codonId === startedFrom.codonId)
  return [...before.slice(0, cut + 1), ...run.codons]
}

/** Where a resumed execution goes on: after the last codon that the plan passed, or undefined for the beginning. */
export function lastPassed(plan: Plan, state: WeaveState): CodonExecution | undefined {
  const thread = threadOf(state, state.runs.at(-1))
  return thread.findLast(record => {
    const position = find(plan, record.codonId)
    return isPassed(record, position && stepAt(plan, position))
  })
}

/** The session that a `continue-previous` codon goes on from: that of the nearest earlier codon of the thread that has one. */
export function previousSession(state: WeaveState): string | undefined {
  const thread = threadOf(state, state.runs.at(-1))
  const record = thread.findLast(
    codon => 'sessionId' in codon && codon.sessionId !== undefined && codon.status === 'completed',
  )
  return record && 'sessionId' in record ? record.sessionId : undefined
}

function recordOf(state: WeaveState, runId: string, codonId: string): CodonExecution | undefined {
  const run = state.runs.find(each => each.runId === runId)
  return threadOf(state, run).findLast(codon => codon.codonId === codonId)
}

/** Whether the plan has come to its end. */
export function nothingLeft(plan: Plan, state: WeaveState): boolean {
  const last = lastPassed(plan, state)
  const newest = threadOf(state, state.runs.at(-1)).at(-1)
  if (!last || last !== newest) return false
  return stepAt(plan, following(plan, last)) === undefined
}
