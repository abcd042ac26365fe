import { type CodonExecution, currentRun, lineageOf, type WeaveState } from '@weave/protocol'
import { codonNamed, type Plan, type PlannedCodonAt, type PlannedGate } from '../plan/index.ts'

/** A place between two codons: what ended there, and what comes next. Pure. */
export interface Place {
  /** Absent: nothing was done yet. */
  readonly last?: LastAttempt
  /** Absent: the plan is at its end. */
  readonly next?: PlannedCodonAt | undefined
}

/** The attempt that a question follows: a decision holds for it and for no other. */
export interface LastAttempt {
  readonly runId: string
  readonly record: CodonExecution
  /** Absent: the plan does not have it any more. */
  readonly at?: PlannedCodonAt | undefined
}

/** Where a run stands that would go on with `next`. */
export function placeOf(plan: Plan, state: WeaveState, next: PlannedCodonAt | undefined): Place {
  const record = lineageOf(state, currentRun(state)).at(-1)
  const run = record && state.runs.find(({ codons }) => codons.includes(record))
  if (!record || !run) return { next }
  return { last: { runId: run.runId, record, at: codonNamed(plan, record.codonId) }, next }
}

/** The version of the workspace that a person looks at there. */
export function versionAt({ last }: Place, state: WeaveState): string | undefined {
  if (!last) return state.runs[0]?.initialCheckpoint
  const { checkpoints } = last.record
  return checkpoints.completed ?? checkpoints.skipped ?? checkpoints.error
}

/** The place of a hold that waits for whatever comes next. No codon has this name. */
export const anyCodon = '*'

/** Whether a gate stands there. */
export function standsAt(gate: Pick<PlannedGate, 'before' | 'after'>, { last, next }: Place): boolean {
  const { before, after } = gate
  if (before === anyCodon) return next !== undefined
  if (before !== undefined) return next !== undefined && isAhead(before, next, last?.at)
  return after !== undefined && last?.at !== undefined && isBehind(after, last.at, next)
}

/** A loop is ahead when it is entered, not at its later iterations. */
function isAhead(name: string, next: PlannedCodonAt, last: PlannedCodonAt | undefined): boolean {
  if (isCodon(name, next)) return true
  return next.loop?.id === name && last?.loop?.id !== name
}

function isBehind(name: string, last: PlannedCodonAt, next: PlannedCodonAt | undefined): boolean {
  if (isCodon(name, last)) return true
  return last.loop?.id === name && next?.loop?.id !== name
}

/** By its id in every iteration, by its runtime id in one. */
function isCodon(name: string, { codon, runtimeId }: PlannedCodonAt): boolean {
  return codon.id === name || runtimeId === name
}
