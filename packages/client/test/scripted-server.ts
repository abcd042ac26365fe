import {
  type Command,
  type EventData,
  type EventType,
  type HandshakeRequest,
  type JournaledType,
  parseClientMessage,
  type ServerEvent,
} from '@weave/protocol'
import { type Connect, linkTransports, type MemoryLink } from '../src/transport.ts'
import { readyData, sampleEvent } from './event-samples.ts'

export interface Caller {
  readonly link: MemoryLink
  readonly send: <T extends EventType>(type: T, data: EventData<T>, commandId?: string) => void
  readonly raw: (text: string) => void
}

export interface ServerScript {
  /** The newest events that a handshake gives. */
  readonly historyCap?: number
  readonly batchSize?: number
  /** In place of the length of the journal. */
  readonly totalEvents?: number
  /** What to do instead of greeting. */
  readonly greet?: (caller: Caller, handshake: HandshakeRequest) => void
  /** Called for every command but `history.sync`, and for that too when `syncByHand`. */
  readonly onCommand?: (command: Command, caller: Caller) => void
  readonly syncByHand?: boolean
}

/**
 * The server's side of memory links: keeps a journal, shakes hands as decisions 5 says, and does otherwise what its
 * script says. What a client sends is read with the protocol's strict reader; a problem ends the test.
 */
export function scriptedServer(script: ServerScript = {}) {
  const journal: ServerEvent[] = []
  const callers = new Set<Caller>()
  const handshakes: HandshakeRequest[] = []
  const commands: Command[] = []
  const server = { journal, handshakes, commands, callers, ready: readyData, refusing: false }

  const greet = (caller: Caller, handshake: HandshakeRequest): void => {
    const { sendPreviousEvents, since = 0, mode } = handshake.data
    const history = journal.filter(event => (event.seq ?? 0) > since).slice(-(script.historyCap ?? 1000))
    caller.raw(
      JSON.stringify({
        id: 'r',
        timestamp: '2026-01-01T00:00:00.000Z',
        type: 'handshake.response',
        data: {
          clientId: `client-${handshakes.length}`,
          mode,
          totalEvents: script.totalEvents ?? journal.length,
          lastSeq: journal.at(-1)?.seq ?? 0,
          ...(sendPreviousEvents ? { eventHistory: history } : {}),
        },
      }),
    )
    caller.send('server.ready', { ...server.ready, lastSeq: server.ready.lastSeq ?? journal.length })
    callers.add(caller)
  }

  const sync = (caller: Caller, id: string): void => {
    const size = script.batchSize ?? 500
    const past = [...journal]
    do {
      const events = past.splice(0, size).map(event => ({ ...event }))
      caller.send('history.batch', { events, hasMore: past.length > 0 }, id)
    } while (past.length > 0)
  }

  const receive = (caller: Caller, text: string): void => {
    const message = parseClientMessage(text)
    if (message.kind === 'problem') throw new Error(`the client sent nonsense: ${message.message}`)
    if (message.kind === 'handshake') {
      handshakes.push(message.handshake)
      ;(script.greet ?? greet)(caller, message.handshake)
      return
    }
    const { command } = message
    commands.push(command)
    if (command.type === 'history.sync' && !script.syncByHand) sync(caller, command.id)
    else script.onCommand?.(command, caller)
  }

  const connect: Connect = () => {
    if (server.refusing) return Promise.resolve({ ok: false, reason: 'refused' })
    const link = linkTransports()
    const caller: Caller = {
      link,
      raw: link.server.send,
      send: (type, data, commandId) =>
        link.server.send(
          JSON.stringify(sampleEvent(type, data, commandId === undefined ? {} : { commandId })),
        ),
    }
    link.server.onMessage(text => receive(caller, text))
    link.server.onClose(() => callers.delete(caller))
    return Promise.resolve({ ok: true, transport: link.client })
  }

  return Object.assign(server, {
    connect,
    greet,
    sync,
    /** Journals an event and tells it to everyone. */
    append<T extends JournaledType>(type: T, data: EventData<T>, commandId?: string): void {
      const event = sampleEvent(type, data, {
        seq: journal.length + 1,
        ...(commandId === undefined ? {} : { commandId }),
      })
      journal.push(event as ServerEvent)
      for (const caller of callers) caller.raw(JSON.stringify(event))
    },
    cut(): void {
      for (const caller of callers) caller.link.cut()
    },
    close(code: number, reason = ''): void {
      for (const caller of callers) caller.link.server.close(code, reason)
    },
  })
}

export type ScriptedServer = ReturnType<typeof scriptedServer>
