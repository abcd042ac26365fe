import { type Command, commands } from '@weave/protocol'
import type { CommandResult } from '../runner/control.ts'
import type { Refusal } from './direct-sender.ts'
import { textFrameOf, textFrames } from './frames.ts'
import { streamHistory } from './history.ts'
import { createSelection } from './selection.ts'
import type { Client, Services } from './services.ts'

/**
 * Takes a command as it arrives and returns its answer, to be given when all earlier ones of the same client are
 * answered. What changes the run is handed to the runner at once, so that commands act in the order of their arrival,
 * whoever sent them.
 */
export function takeCommand(command: Command, client: Client, services: Services): () => Promise<void> {
  const answer = answerTo(command, client, services)
  return async () => {
    try {
      await answer()
    } catch (error) {
      services.log.error('SERVER', `${command.type} failed`, { error: String(error) })
      refuse(client, command, {
        code: 'INTERNAL_ERROR',
        message: 'The server could not do this; its log says why.',
      })
    }
  }
}

function answerTo(command: Command, client: Client, services: Services): () => Promise<void> | void {
  const { type } = command
  if (client.mode !== 'readandwrite' && commands[type].access !== 'any')
    return () =>
      refuse(client, command, {
        code: 'INSUFFICIENT_PERMISSIONS',
        message: `A ${client.mode} client may not send ${type}.`,
      })
  switch (type) {
    case 'ping':
      return () => client.direct.send('pong', pong(services), command.id)
    case 'ping.broadcast':
      return () => pongToAll(command, client, services)
    case 'history.sync':
      return () => syncHistory(command, client, services)
    case 'events.select':
      return () => selectEvents(command, client, services)
    default: {
      const accepted = submit(command, client, services)
      return async () => {
        if ((await accepted()) && type === 'checkpoint.list') await listCheckpoints(command, client, services)
      }
    }
  }
}

/** The runner acts now; what it says is passed on when it is this command's turn. False: it was refused. */
function submit(command: Command, client: Client, { control }: Services): () => Promise<boolean> {
  // Inside the promise, so that a runner that throws is a failed command like any other.
  const outcome = new Promise<CommandResult>(resolve => resolve(control.submit(command, client.by)))
  outcome.catch(() => undefined)
  return async () => {
    const result = await outcome
    if (!result.ok) refuse(client, command, result)
    return result.ok
  }
}

async function listCheckpoints(
  command: Command<'checkpoint.list'>,
  client: Client,
  { control, journal }: Services,
): Promise<void> {
  const list = await control.checkpoints(command.data.runId)
  if (list) journal.append('checkpoint.list', list, { commandId: command.id })
  else refuse(client, command, { code: 'UNKNOWN_RUN', message: 'This execution has no such run.' })
}

/** The others did not ask: a `commandId` would only be mistaken for one of their own. */
function pongToAll({ id }: Command, client: Client, services: Services): void {
  const { broadcast, envelopes } = services
  const data = { ...pong(services), clientId: client.id }
  client.direct.send('pong', data, id)
  const frames = [textFrames([envelopes.text('pong', data)])]
  for (const member of broadcast.members) if (member !== client) member.send(frames)
}

function pong({ clock }: Services) {
  return { message: 'pong', timestamp: clock.now().toISOString() } as const
}

/** What was emitted before is still sent as it was selected before. */
function selectEvents(
  { id, data }: Command<'events.select'>,
  client: Client,
  { broadcast, clock }: Services,
): void {
  broadcast.settle()
  client.selection = createSelection(data, clock.monotonic)
  client.direct.send('events.selected', { lastSeq: broadcast.lastSeq }, id)
}

async function syncHistory({ id }: Command, client: Client, services: Services): Promise<void> {
  const { broadcast, envelopes, journal, limits, log, readers } = services
  const { peer, direct, wantsExtensions } = client
  broadcast.settle()
  await streamHistory({
    history: journal.history,
    readers,
    upTo: broadcast.lastSeq,
    wantsExtensions,
    maxEvents: limits.batchEvents,
    maxBytes: limits.batchBytes,
    receiver: peer,
    send(events, hasMore) {
      const head = Buffer.from(`${envelopes.open('history.batch', id)}{"events":[`)
      direct.sendFrames(textFrameOf([head, events, Buffer.from(`],"hasMore":${hasMore}}}`)]))
    },
    onDamage: ({ problems }) => log.warn('SERVER', 'the journal has damaged lines', { problems }),
  })
}

function refuse({ direct }: Client, { id }: Command, { code, message }: Refusal): void {
  direct.refuse({ code, message, commandId: id })
}
