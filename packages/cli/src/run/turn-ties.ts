import type { Execution, ExecutionOptions, RunnerEnd } from '@weave/runtime'

/** What ties a run to who lends it its execution: nothing, when a person started it. */
export interface TurnTies {
  /** Who has a say between codons. */
  readonly border?: ExecutionOptions['border']
  /** Of the data, when its content was hashed before. */
  readonly dataHash?: string | undefined
  /** Told how the run ended, before its execution is let go. */
  readonly onEnd?: (end: RunnerEnd) => void
}

export async function endOf({ done }: Execution['runner'], { onEnd }: TurnTies): Promise<RunnerEnd> {
  const end = await done
  onEnd?.(end)
  return end
}
