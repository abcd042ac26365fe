import { type HandshakeRequest, parseClientMessage, weaveExtension } from '@weave/protocol'
import { createId, createSerialQueue } from '../kit/index.ts'
import { takeCommand } from './dispatch.ts'
import { greet } from './greet.ts'
import type { Peer, PeerListener } from './peer.ts'
import { createRate } from './rate.ts'
import {
  afterHandshake,
  beforeHandshake,
  binaryMessage,
  secondHandshake,
  tooLargeMessage,
  untrusted,
} from './refusals.ts'
import type { Client, Services } from './services.ts'
import { createVoice, type Refusal } from './voice.ts'

type Answer = () => Promise<void> | void

/**
 * One connection from its first message on: a stranger until it shakes hands, then a client. Messages are read as they come and answered one after another, in
 * the order in which they came. `introduced` is called once, when a handshake is accepted.
 */
export function createConnection(peer: Peer, services: Services, introduced: () => void): PeerListener {
  const { broadcast, clock, limits, log, redactor } = services
  const voice = createVoice({ peer, ...services })
  const rate = createRate(limits.messagesPerSecond, () => clock.monotonic())
  const answers = createSerialQueue()
  const failed = (error: unknown) => {
    log.error('SERVER', 'a message could not be answered', { error: String(error) })
    peer.close(1011, 'Internal error.')
  }
  let client: Client | undefined

  const withinRate = (): boolean => {
    const isWithin = rate.take()
    if (!isWithin) peer.close(1008, `More than ${limits.messagesPerSecond} messages in a second.`)
    return isWithin
  }
  const refuse =
    (refusal: Refusal): Answer =>
    () =>
      voice.refuse(refusal)
  const shakeHands = (request: HandshakeRequest): Answer => {
    if (client) return refuse(secondHandshake(request.id))
    if (!services.isTrusted(request.data.token))
      return () => {
        voice.refuse(untrusted(request))
        peer.close(1008, 'The token is missing or wrong.')
      }
    if (broadcast.size >= limits.clients) return () => peer.close(1013, 'Too many clients.')
    const accepted = { ...grantTo(request, services), peer, voice, send: peer.send }
    client = accepted
    peer.gone.addEventListener('abort', () => broadcast.leave(accepted))
    introduced()
    return () => greet(request, accepted, services)
  }
  const read = (text: string | undefined): Answer => {
    if (text === undefined) return refuse(binaryMessage)
    const message = parseClientMessage(text, redactor.text)
    if (message.kind === 'handshake') return shakeHands(message.handshake)
    if (!client) return refuse(beforeHandshake(message, text))
    if (message.kind === 'problem') return refuse(afterHandshake(message, text))
    return takeCommand(message.command, client, services)
  }

  return {
    receive(text) {
      if (!withinRate()) return
      if (answers.length >= limits.unanswered) peer.close(1008, 'Too many commands without an answer.')
      else answers.run(read(text)).catch(failed)
    },
    // Pings and pongs are no messages, but they are work all the same.
    receiveControl: () => void withinRate(),
    receiveTooLarge: () => voice.refuse(tooLargeMessage(limits.messageBytes)),
  }
}

function grantTo({ data }: HandshakeRequest, { readonlyOnly }: Services) {
  return {
    id: createId('client'),
    mode: readonlyOnly ? ('readonly' as const) : data.mode,
    wantsExtensions: data.extensions?.includes(weaveExtension) ?? false,
  }
}
