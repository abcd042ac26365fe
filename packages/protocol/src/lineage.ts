import type { CodonExecution, RunState, WeaveState } from './state.ts'

/**
 * Which earlier codons a run builds on. A run that continues another keeps that run's codons up to the checkpoint which
 * `startedFrom` names; what came after it was rolled back. Engine and clients both ask here, so that what a person is shown is
 * what runs.
 */

/** Where a run starts from. */
export interface Origin {
  /** The codon that `startedFrom` names, if the run it names has it. */
  readonly record?: CodonExecution | undefined
  /** The run begins after the rig of `record`: that codon itself is still to come. */
  readonly afterRig: boolean
  /** The codons before, oldest first. */
  readonly kept: readonly CodonExecution[]
}

/** The codons that count for a run, oldest first: those it builds on and its own. */
export function lineageOf(state: WeaveState, run: RunState | undefined): readonly CodonExecution[] {
  return run ? [...originOf(state, run.startedFrom).kept, ...run.codons] : []
}

export function originOf(state: WeaveState, startedFrom: RunState['startedFrom']): Origin {
  if (startedFrom.type === 'fresh') return nothing
  const source = state.runs.find(({ runId }) => runId === startedFrom.runId)
  return originIn(lineageOf(state, source), startedFrom)
}

/** The same, for a caller that has the lineage of the run that `startedFrom` names. */
export function originIn(lineage: readonly CodonExecution[], startedFrom: RunState['startedFrom']): Origin {
  if (startedFrom.type === 'fresh' || startedFrom.codonId === undefined) return nothing
  const { codonId, checkpoint } = startedFrom
  const lastAt = (fits: (record: CodonExecution) => boolean): number =>
    lineage.findLastIndex(record => record.codonId === codonId && fits(record))
  // Of several attempts at a codon, the one with the checkpoint is meant.
  const exact = lastAt(({ checkpoints }) => checkpoint !== undefined && has(checkpoints, checkpoint))
  const at = exact === -1 ? lastAt(() => true) : exact
  const record = lineage[at]
  const afterRig = checkpoint !== undefined && record?.checkpoints['rig-setup'] === checkpoint
  return { record, afterRig, kept: lineage.slice(0, afterRig ? at : at + 1) }
}

const nothing: Origin = { afterRig: false, kept: [] }

function has(checkpoints: CodonExecution['checkpoints'], sha: string): boolean {
  return Object.values(checkpoints).includes(sha)
}
