import { currentRun, type EventData, isLive, lineageOf, liveCodon } from '@weave/protocol'
import type { Journal } from '../journal/index.ts'
import type { Clock } from '../kit/index.ts'
import type { Effects } from './effects.ts'
import type { Recorder } from './record.ts'

export interface SnapshotOptions {
  readonly journal: Journal
  readonly recorder: Recorder
  readonly effects: Effects
  readonly clock: Clock
}

/** The whole picture, for clients that came late. Told one at a time. */
export function createSnapshots({ journal, recorder, effects, clock }: SnapshotOptions) {
  const began = clock.monotonic()
  let lastSeq = 0
  let telling: Promise<void> = Promise.resolve()

  /** The state is read last: what is told must not be older than its place in the journal. */
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

  const tell = async (): Promise<void> => {
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
    tellIfNew(): Promise<void> {
      telling = telling.catch(() => undefined).then(tell)
      return telling
    },
    /** Resolves when none is under way. Rejects when the last one could not be told. */
    settled: (): Promise<void> => telling,
  }
}

export type Snapshots = ReturnType<typeof createSnapshots>
