/** TABLE of the codes an `error` event can carry, with the severity of each and what it means. */
type Severity = 'fatal' | 'codon' | 'operation' | 'warning'

interface ErrorRow {
  readonly severity: Severity
  readonly summary: string
}

export const errorCodes = {
  HANDSHAKE_REQUIRED: operation('A message came before the handshake was completed.'),
  ALREADY_HANDSHAKEN: operation('A second handshake on one connection.'),
  INSUFFICIENT_PERMISSIONS: operation('A `readonly` client sent a state-modifying command.'),
  ROLLBACK_IN_PROGRESS: operation('A state-modifying command came during a rollback.'),
  CODON_ALREADY_RUNNING: operation('`codon.start`, `codon.next` or `codon.redo` while a codon runs.'),
  NO_CODON_RUNNING: operation('`codon.skip` or `codon.forceStop` while none runs.'),
  NOTHING_TO_REDO: operation('`codon.redo` before any codon has ended.'),
  NO_NEXT_CODON: operation('`codon.next` at the end of the plan.'),
  INVALID_JSON: operation('A frame that is not JSON text.'),
  INVALID_COMMAND: operation('A command whose fields do not fit; the message names the field.'),
  UNKNOWN_COMMAND: operation('A command type that does not exist.'),
  UNKNOWN_CODON: operation('A codon id that is not in the plan.'),
  UNKNOWN_CHECKPOINT: operation('No checkpoint fits.'),
  AMBIGUOUS_CHECKPOINT: operation('A sha prefix that fits several checkpoints.'),
  UNKNOWN_RUN: operation('A run id that this execution does not have.'),
  UNKNOWN_GATE: operation('No gate waits, or no hold has that id.'),
  GATE_DECIDED: operation('The gate was decided on before; the message says by whom.'),
  GATE_STALE: operation('The run waits at another gate now, or what was seen has changed.'),
  SHUTTING_DOWN: operation('The server is going down and takes no more commands.'),
  MESSAGE_TOO_LARGE: operation('A frame over the size limit.'),
  INTERNAL_ERROR: operation('A fault in the server; the log has the details.'),
} as const satisfies Record<string, ErrorRow>

export type ErrorCode = keyof typeof errorCodes

function operation(summary: string) {
  return { severity: 'operation', summary } as const
}
