import type { CommandType, ErrorCode, ServerEvent } from '@weave/protocol'
import type { Timers } from './platform.ts'

/**
 * Which event answers a command. A command with a row is answered by that type only; any other by the first event that
 * carries its id and is not an `error` (`codon.next`: usually `codon.started`). An `error` with its id always answers.
 */
const replyTypes = {
  ping: 'pong',
  'ping.broadcast': 'pong',
  'checkpoint.list': 'checkpoint.list',
  'history.sync': 'history.batch',
  'events.select': 'events.selected',
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
function readReply(type: CommandType, event: ServerEvent): 'part' | SendResult | undefined {
  if (event.type === 'error') {
    return { ok: false, code: event.data.code ?? 'NO_CODE', message: event.data.message }
  }
  const expected: string | undefined = type in replyTypes ? replyTypes[type as keyof ReplyTypes] : undefined
  if (expected !== undefined && event.type !== expected) return undefined
  if (event.type === 'history.batch' && event.data.hasMore) return 'part'
  return { ok: true, event }
}

/** A command that was sent and waits for its answer. Each of the functions is called while an event is handled. */
export interface PendingCommand {
  readonly id: string
  readonly type: CommandType
  /** How long to wait; every part of an answer starts the wait anew. Not given: until the connection ends. */
  readonly timeoutMs?: number | undefined
  /** Called with every `history.batch`, the last one too. */
  readonly onPart?: (event: ServerEvent<'history.batch'>) => void
  /** Called exactly once. */
  readonly onEnd: (result: SendResult) => void
  /** The client's own business: its answers are not shown to listeners. */
  readonly internal?: boolean
}

export interface Pending {
  readonly add: (command: PendingCommand) => void
  /** Whether the event answers a command that listeners know nothing of. */
  readonly isInternal: (event: ServerEvent) => boolean
  /** Hands an event to the command that it answers, if there is one. */
  readonly offer: (event: ServerEvent) => void
  /** Settles everything that waits: the server or the network ended the connection with this code, or this side did. */
  readonly lost: (code: number | 'by this client') => void
}

interface Waiting {
  readonly command: PendingCommand
  cancelTimer: () => void
}

export function createPending(timers: Timers): Pending {
  const waiting = new Map<string, Waiting>()

  const end = (id: string, result: SendResult): void => {
    const entry = waiting.get(id)
    if (!entry) return
    waiting.delete(id)
    entry.cancelTimer()
    entry.command.onEnd(result)
  }

  const startTimer = ({ id, type, timeoutMs }: PendingCommand): (() => void) => {
    if (timeoutMs === undefined) return () => {}
    return timers.after(timeoutMs, () => end(id, timedOut(type, timeoutMs)))
  }

  const find = (event: ServerEvent): Waiting | undefined =>
    event.commandId === undefined ? undefined : waiting.get(event.commandId)

  return {
    add(command) {
      waiting.set(command.id, { command, cancelTimer: startTimer(command) })
    },
    isInternal: event => find(event)?.command.internal === true,
    offer(event) {
      const entry = find(event)
      if (!entry) return
      const { command } = entry
      const reply = readReply(command.type, event)
      if (reply === undefined) return
      if (event.type === 'history.batch') command.onPart?.(event)
      if (reply !== 'part') return end(command.id, reply)
      entry.cancelTimer()
      entry.cancelTimer = startTimer(command)
    },
    lost(code) {
      for (const { command } of waiting.values()) end(command.id, afterClose(command.type, code))
    },
  }
}

/** Whether a server leaves in good order: how one that was asked to shut down says yes. */
export function isGoodbye(code: number | 'by this client'): boolean {
  return code === 1000 || code === 1001
}

function afterClose(type: CommandType, code: number | 'by this client'): SendResult {
  if (type === 'server.shutdown' && isGoodbye(code)) return { ok: true, event: undefined }
  return {
    ok: false,
    code: 'CONNECTION_LOST',
    message: `The connection was closed (${code}) before the server answered ${type}.`,
  }
}

function timedOut(type: CommandType, timeoutMs: number): SendFailure {
  return { ok: false, code: 'TIMEOUT', message: `No answer to ${type} within ${timeoutMs} ms.` }
}

/**
 * Ids for commands. They must differ between clients too: the events that answer a command go to everyone, with its id
 * in them, and stay in the journal.
 */
export function createIds(random: () => number): () => string {
  const part = (): string =>
    Math.floor(random() * 36 ** 5)
      .toString(36)
      .padStart(5, '0')
  const prefix = `${part()}${part()}${part()}`
  let count = 0
  return () => {
    count += 1
    return `${prefix}-${count}`
  }
}
