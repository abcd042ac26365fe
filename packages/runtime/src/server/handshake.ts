import { createHash, timingSafeEqual } from 'node:crypto'
import type { ClientMessage, HandshakeRequest } from '@weave/protocol'
import type { Refusal } from './direct-sender.ts'
import { textFrameOf, textFrames } from './frames.ts'
import type { Client, Services } from './services.ts'

/**
 * Answers a handshake: `handshake.response`, `server.ready`, then the live events.
 *
 * Nothing is lost or doubled between the history and the live events: the client joins at one `seq`. What is at or
 * before it comes from the journal's files; what is after it is held back until the response is out.
 */
export async function answerHandshake(
  request: HandshakeRequest,
  client: Client,
  services: Services,
): Promise<void> {
  const { broadcast, control, envelopes, eventHistory, journal, log } = services
  const { sendPreviousEvents, since } = request.data
  const { id: clientId, mode, peer, wantsExtensions } = client
  const ready = await services.ready()
  if (peer.gone.aborted) return
  peer.hold()
  broadcast.join(client)
  const upTo = broadcast.lastSeq
  const { all, forEveryone } = journal.counts
  const readyText = () => envelopes.text('server.ready', { ...ready, lastSeq: upTo })
  const head = `${envelopes.open('handshake.response', request.id)}{"clientId":"${clientId}","mode":"${mode}",`
  const tail = `"totalEvents":${wantsExtensions ? all : forEveryone},"lastSeq":${upTo}}}`
  try {
    // Who names the last event it saw has asked for what came after it.
    if (!sendPreviousEvents && since === undefined) peer.release([textFrames([head + tail, readyText()])])
    else {
      const events = await eventHistory({ since: since ?? 0, upTo, wantsExtensions })
      const response = [Buffer.from(`${head}"eventHistory":[`), events, Buffer.from(`],${tail}`)]
      peer.release([...textFrameOf(response), textFrames([readyText()])])
    }
  } catch (error) {
    log.error('SERVER', 'a handshake could not be answered', { error: String(error) })
    peer.close(1011, 'The history could not be read.')
    return
  }
  control.clientArrived()
}

/** Why a message is not acted on. */
type Unfit = Exclude<ClientMessage, { readonly kind: 'handshake' }>

export const binaryMessage: Refusal = { code: 'INVALID_JSON', message: 'Messages are JSON in text frames.' }

/** Which command it was is not known: it was not read. */
export function tooLargeMessage(limit: number): Refusal {
  return { code: 'MESSAGE_TOO_LARGE', message: `A message may be ${limit} bytes long. This connection ends.` }
}

/** Before the handshake only one that was tried and failed is explained; everything else is told to begin with it. */
export function beforeHandshake(message: Unfit, text: string): Refusal {
  if (message.kind === 'problem' && isHandshake(message, text)) return message
  return {
    code: 'HANDSHAKE_REQUIRED',
    message: 'The first message is a handshake: {"type":"handshake","data":{"mode":"readonly"}}.',
    commandId: message.kind === 'command' ? message.command.id : message.commandId,
  }
}

export function afterHandshake(problem: Unfit & { readonly kind: 'problem' }, text: string): Refusal {
  return isHandshake(problem, text) ? secondHandshake(problem.commandId) : problem
}

export function secondHandshake(commandId: string | undefined): Refusal {
  return { code: 'ALREADY_HANDSHAKEN', message: 'This connection has shaken hands already.', commandId }
}

export function untrusted({ id }: HandshakeRequest): Refusal {
  return {
    code: 'INSUFFICIENT_PERMISSIONS',
    message: 'This server asks for its token in the handshake.',
    commandId: id,
  }
}

function isHandshake({ code }: { readonly code: string }, text: string): boolean {
  if (code !== 'INVALID_COMMAND') return false
  const value: unknown = JSON.parse(text)
  return typeof value === 'object' && value !== null && 'type' in value && value.type === 'handshake'
}

/** Compares in a time that says nothing about the token. Without a token everyone is trusted. */
export function createTokenCheck(token: string | undefined): (given: string | undefined) => boolean {
  if (token === undefined) return () => true
  const wanted = digest(token)
  return given => given !== undefined && timingSafeEqual(digest(given), wanted)
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
