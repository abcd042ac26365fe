import type { Command, DecidedBy, ErrorCode } from '@weave/protocol'
import { type AsyncQueue, messageOf } from '../kit/index.ts'
import type { PlannedCodonAt } from '../plan/index.ts'
import type { Outcome } from './codon.ts'
import type { CommandResult } from './control.ts'
import type { BorderWord } from './ports.ts'
import type { RolledBack } from './rollback.ts'
import type { RuleDeed } from './rule-deed.ts'

/** The message of a refusal. */
const words: Readonly<Partial<Record<ErrorCode, string>>> = {
  CODON_ALREADY_RUNNING: 'A codon is running. Skip it or stop it first.',
  NO_CODON_RUNNING: 'No codon is running.',
  NO_NEXT_CODON: 'The plan has no further codon.',
  NOTHING_TO_REDO: 'No codon has ended yet.',
  ROLLBACK_IN_PROGRESS: 'A rollback is in progress. Wait for rollback.completed.',
  SHUTTING_DOWN: 'The server is shutting down.',
  UNKNOWN_CODON: 'The plan has no such codon.',
  UNKNOWN_CHECKPOINT: 'There is no such checkpoint.',
}

export function refuse(code: ErrorCode, message = words[code] ?? code): CommandResult {
  return { ok: false, code, message }
}

/** Everything that the machine waits for, in one row. */
export type Input =
  | {
      readonly type: 'command'
      readonly command: Command
      readonly by: DecidedBy
      readonly answer: (result: CommandResult) => void
    }
  | {
      readonly type: 'settled'
      readonly at: PlannedCodonAt
      readonly attempt: number
      readonly outcome: Outcome
    }
  /** Who stands between codons has spoken: after an attempt, or before one that is not admitted. */
  | { readonly type: 'crossed'; readonly at: PlannedCodonAt; readonly word: BorderWord }
  | { readonly type: 'rolled-back'; readonly result: RolledBack }
  | { readonly type: 'woke' }
  | { readonly type: 'expired'; readonly waitingSeq: number }
  | { readonly type: 'client' }
  /** A rule of the operator was met. */
  | { readonly type: 'rule'; readonly deed: RuleDeed }
  | { readonly type: 'shutdown'; readonly reason: string }
  /** Something could not be recorded. */
  | { readonly type: 'fault'; readonly error: unknown }

/** Answers a command with what came of it. A fault is the machine's, too. */
export async function answered(
  { answer }: Input & { type: 'command' },
  obeyed: Promise<CommandResult>,
): Promise<void> {
  try {
    answer(await obeyed)
  } catch (error) {
    answer(refuse('INTERNAL_ERROR', messageOf(error)))
    throw error
  }
}

/** Nobody waits for an answer that will never come. */
export async function refuseTheRest(inputs: AsyncQueue<Input>): Promise<void> {
  inputs.close()
  for (let input = await inputs.take(); input; input = await inputs.take()) {
    if (input.type === 'command') input.answer(refuse('SHUTTING_DOWN'))
  }
}
