import type { CheckpointType, RunState, WeaveState } from '@weave/protocol'
import { beforeRef, branchOf, branchRef, safetyPrefix } from '../checkpoint/index.ts'

/**
 * What the store of a fork knows of: the branches of the runs that are kept, as far as they had come; the version from before
 * everything; and what codons that are kept began with. Pure.
 */
export function keptRefs(
  { runs }: WeaveState,
  source: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const refs = new Map<string, string>()
  for (const run of runs) {
    const tip = lastVersion(run)
    if (tip !== undefined) refs.set(branchRef(branchOf(run.runId)), tip)
    for (const { codonId } of run.codons) {
      const ref = beforeRef(run.runId, codonId)
      const sha = source.get(ref)
      if (sha !== undefined) refs.set(ref, sha)
    }
  }
  const beginning = runs[0]?.initialCheckpoint
  for (const [ref, sha] of source) if (ref.startsWith(safetyPrefix) && sha === beginning) refs.set(ref, sha)
  return refs
}

const order: readonly CheckpointType[] = ['rig-setup', 'completed', 'error', 'skipped']

function lastVersion({ codons }: RunState): string | undefined {
  return codons.flatMap(({ checkpoints }) => order.flatMap(type => checkpoints[type] ?? [])).at(-1)
}
