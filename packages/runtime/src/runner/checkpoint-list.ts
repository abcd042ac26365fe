import { type CheckpointType, currentRun, type EventData, type WeaveState } from '@weave/protocol'
import type { CheckpointEffects } from './effects.ts'

/** In the order in which a codon makes them. */
const order: readonly CheckpointType[] = ['rig-setup', 'completed', 'error', 'skipped']

/** The checkpoints of one run, oldest first; undefined for a run that there is not. */
export async function checkpointList(
  state: WeaveState,
  runId: string,
  { checkpointTimes }: Pick<CheckpointEffects, 'checkpointTimes'>,
): Promise<EventData<'checkpoint.list'> | undefined> {
  const run = state.runs.find(each => each.runId === runId)
  if (!run) return undefined
  const times = await checkpointTimes(run.codons.flatMap(({ checkpoints }) => Object.values(checkpoints)))
  const checkpoints = run.codons.flatMap(({ codonId, codonName, status, checkpoints: shas, startTime }) =>
    order.flatMap(checkpointType => {
      const sha = shas[checkpointType]
      if (sha === undefined) return []
      const timestamp = times.get(sha) ?? startTime
      return [{ codonId, codonName, checkpointType, sha, status, timestamp }]
    }),
  )
  return { runId, checkpoints, currentBranch: currentRun(state)?.gitBranch ?? run.gitBranch }
}
