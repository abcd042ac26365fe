import type { Command } from '@weave/protocol'
import type { AsyncQueue } from '../kit/index.ts'
import type { PlannedCodonAt } from '../plan/index.ts'
import type { Outcome } from './codon.ts'
import type { CommandResult } from './control.ts'
import { refuse } from './messages.ts'
import type { RolledBack } from './rollback.ts'

/** Everything that the machine waits for, in one row. */
export type Input =
  | { readonly type: 'command'; readonly command: Command; readonly answer: (result: CommandResult) => void }
  | { readonly type: 'settled'; readonly step: PlannedCodonAt; readonly outcome: Outcome }
  | { readonly type: 'rolled-back'; readonly result: RolledBack }
  | { readonly type: 'woke' }
  | { readonly type: 'client' }
  | { readonly type: 'shutdown'; readonly reason: string }
  /** Something could not be recorded. */
  | { readonly type: 'fault'; readonly error: unknown }

/** Nobody waits for an answer that will never come. */
export async function refuseTheRest(inbox: AsyncQueue<Input>): Promise<void> {
  inbox.close()
  for (let input = await inbox.take(); input; input = await inbox.take()) {
    if (input.type === 'command') input.answer(refuse('SHUTTING_DOWN'))
  }
}
