import type { FailureReason } from '@weave/protocol'
import type { CodonTask } from './codon-task.ts'
import type { LoadedSentinels, SentinelEnding } from './effects.ts'

/** The sentinels of one attempt, from the moment in which they are there. */
export interface SentinelHold {
  /** The failure of the codon when one that it needs cannot be had. */
  load(task: CodonTask, startTime: string): Promise<FailureReason | undefined>
  /** Whatever became of the codon. Does nothing when none was loaded. */
  finish(ending: SentinelEnding): Promise<void>
}

export function createSentinelHold(): SentinelHold {
  let loaded: LoadedSentinels | undefined
  return {
    async load({ step, effects, budget }, startTime) {
      loaded = await effects.sentinels.loadSentinels(step, { startTime, onSpent: budget.spentBySentinels })
      if (loaded.ok) return undefined
      const { message, sentinelRefs } = loaded
      return { type: 'sentinel-load-failure', retriable: false, message, sentinelRefs }
    },
    async finish(ending) {
      if (loaded?.ok) await loaded.finish(ending)
    },
  }
}
