import type { CommandType, ServerEvent } from '@weave/protocol'
import type { Timers } from './platform.ts'
import { readReply, type SendFailure, type SendResult } from './reply.ts'

/** A command that was sent and waits for its answer. Each of the functions is called while an event is handled. */
export interface PendingCommand {
  readonly id: string
  readonly type: CommandType
  /** How long to wait; every part of an answer starts the wait anew. Not given: until the connection ends. */
  readonly timeoutMs?: number | undefined
  /** Told of every `history.batch`, the last one too. */
  readonly onPart?: (event: ServerEvent<'history.batch'>) => void
  /** Told exactly once. */
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
