import {
  type CheckpointType,
  currentRun,
  type EventData,
  isLive,
  lineageOf,
  liveCodon,
  type WeaveState,
} from '@weave/protocol'
import type { Journal } from '../journal/index.ts'
import type { Clock } from '../kit/index.ts'
import type { CheckpointEffects, Effects } from './effects.ts'
import type { Recorder } from './state-recorder.ts'

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

export interface SnapshotOptions {
  readonly journal: Journal
  readonly recorder: Recorder
  readonly effects: Effects
  readonly clock: Clock
}

/** The whole picture, for clients that came late. NewEvent one at a time. */
export function createSnapshots({ journal, recorder, effects, clock }: SnapshotOptions) {
  const began = clock.monotonic()
  let lastSeq = 0
  let emitting: Promise<void> = Promise.resolve()

  /** The state is read last: what is emitted must not be older than its place in the journal. */
  const take = async (isRollingBack: boolean): Promise<EventData<'state.snapshot'>> => {
    const fileTree = await effects.files.fileTree()
    const { state } = recorder
    const live = liveCodon(state)
    return {
      ...(live && { currentCodon: live }),
      completedCodons: lineageOf(state, currentRun(state)).filter(codon => !isLive(codon)),
      fileTree,
      totalCost: state.totalCost,
      totalTime: clock.monotonic() - began,
      isRollingBack,
    }
  }

  const emit = async (): Promise<void> => {
    if (journal.failure) throw journal.failure
    if (journal.lastSeq === lastSeq) return
    const data = await take(false)
    // What only sentinels made necessary must not wake them: their answer would make the next one necessary.
    const origin = journal.lastSeqWithoutOrigin > lastSeq ? undefined : 'sentinel'
    lastSeq = journal.append('state.snapshot', data, { origin }).seq
  }

  return {
    take,
    /** Says nothing when nothing was said since the last one. Rejects when the disk refuses. */
    emitIfNew(): Promise<void> {
      emitting = emitting.catch(() => undefined).then(emit)
      return emitting
    },
    /** Resolves when none is under way. Rejects when the last one could not be emitted. */
    settled: (): Promise<void> => emitting,
  }
}

export type Snapshots = ReturnType<typeof createSnapshots>
