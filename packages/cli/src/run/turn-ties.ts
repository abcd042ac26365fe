import type { Execution, ExecutionOptions, Gateway, Model, RunnerEnd } from '@weave/runtime'

/** What ties a run to who lends it its execution: nothing, when a person started it. */
export interface TurnTies {
  /** Who has a say between codons. */
  readonly border?: ExecutionOptions['border']
  /** Hears which process groups the run has, whenever that changes. */
  readonly onOwned?: ExecutionOptions['onOwned']
  /** Of the data, when its content was hashed before. */
  readonly dataHash?: string | undefined
  /** The one way to providers, for agents and sentinels alike. */
  readonly gateway?: TurnGateway | undefined
  /** Told who runs, once it has begun. */
  readonly onRunner?: (runner: Pick<Execution['runner'], 'shutdown'>) => void
  /** Told how the run ended, before its execution is let go. */
  readonly onEnd?: (end: RunnerEnd) => void
}

export interface TurnGateway extends Pick<Gateway, 'through'> {
  /** Told which models there are, before anybody asks one. */
  knows(modelOf: (provider: string, id: string) => Model | undefined): void
}

export async function endOf(runner: Execution['runner'], { onRunner, onEnd }: TurnTies): Promise<RunnerEnd> {
  onRunner?.(runner)
  const end = await runner.done
  onEnd?.(end)
  return end
}
