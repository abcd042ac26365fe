import type { CommandType, ErrorCode, ServerEvent } from '@weave/protocol'

/**
 * Which event answers a command. A command with a row is answered by that type only; any other by the first event that
 * carries its id and is not an `error` (`codon.next`: usually `codon.started`). An `error` with its id always answers.
 */
const replyTypes = {
  ping: 'pong',
  'ping.broadcast': 'pong',
  'checkpoint.list': 'checkpoint.list',
  'history.sync': 'history.batch',
} as const satisfies Partial<Record<CommandType, ServerEvent['type']>>

type ReplyTypes = typeof replyTypes

/** `server.shutdown` may be answered by nothing but the end of the connection; then there is no event. */
export type ReplyEvent<T extends CommandType> = T extends keyof ReplyTypes
  ? ServerEvent<ReplyTypes[T]>
  : T extends 'server.shutdown'
    ? ServerEvent | undefined
    : ServerEvent

/** Why a command has no answer from the server. */
export type ClientErrorCode =
  /** It was never sent: there is no open connection. */
  | 'NOT_CONNECTED'
  /** It was sent, then the connection was lost. The server may or may not have acted on it. */
  | 'CONNECTION_LOST'
  /** No answer within `timeoutMs`. The server may still act on it. */
  | 'TIMEOUT'
  /** The server's error had no code. */
  | 'NO_CODE'

export interface SendFailure {
  readonly ok: false
  /** A code of the protocol, one of this client, or one that only a newer server knows. */
  readonly code: ErrorCode | ClientErrorCode | (string & Record<never, never>)
  readonly message: string
}

export type SendResult<T extends CommandType = CommandType> =
  | { readonly ok: true; readonly event: ReplyEvent<T> }
  | SendFailure

/** What an event with the id of a command means for that command. */
export function readReply(type: CommandType, event: ServerEvent): 'part' | SendResult | undefined {
  if (event.type === 'error') {
    return { ok: false, code: event.data.code ?? 'NO_CODE', message: event.data.message }
  }
  const expected: string | undefined = type in replyTypes ? replyTypes[type as keyof ReplyTypes] : undefined
  if (expected !== undefined && event.type !== expected) return undefined
  if (event.type === 'history.batch' && event.data.hasMore) return 'part'
  return { ok: true, event }
}
