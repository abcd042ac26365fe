import type { ErrorCode } from '@weave/protocol'
import type { CommandResult } from './control.ts'

/** What a client hears when a command cannot act now. */
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

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
