import type { Command, DecidedBy, ErrorCode, EventData } from '@weave/protocol'

/** What the server may ask of the runner. The runner's second door. */
export interface Control {
  /**
   * Takes a command. Resolves when it has been acted on or refused; what it causes is emitted as events that carry its id.
   * Commands act one after another, in the order in which they came. `by`: who sent it.
   */
  submit(command: Command, by?: DecidedBy): Promise<CommandResult>
  /** The first client is there: begins, when the settings say so. Later calls change nothing. */
  clientArrived(): void
  snapshot(): Promise<EventData<'state.snapshot'>>
  /** The checkpoints of a run; undefined for a run that this execution does not have. */
  checkpoints(runId: string): Promise<EventData<'checkpoint.list'> | undefined>
}

export type CommandResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly code: ErrorCode; readonly message: string }
