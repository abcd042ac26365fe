import type { Socket } from 'node:net'
import {
  batchExtension,
  type ClientMode,
  type HandshakeRequest,
  parseClientMessage,
  weaveExtension,
} from '@weave/protocol'
import { createId, createSerialQueue } from '../kit/index.ts'
import { createDirectSender, type Refusal } from './direct-sender.ts'
import { takeCommand } from './dispatch.ts'
import {
  afterHandshake,
  answerHandshake,
  beforeHandshake,
  binaryMessage,
  secondHandshake,
  tooLargeMessage,
  untrusted,
} from './handshake.ts'
import type { HttpEntryOptions } from './http-entry.ts'
import { createPeer, type Peer, type PeerListener } from './peer.ts'
import type { Client, Services } from './services.ts'

type Answer = () => Promise<void> | void

/**
 * One connection from its first message on: a stranger until it shakes hands, then a client. Messages are read as they come and answered one after another, in
 * the order in which they came. `introduced` is called once, when a handshake is accepted.
 */
function createConnection(
  { peer, socket }: { readonly peer: Peer; readonly socket: Socket },
  services: Services,
  introduced: () => void,
): PeerListener {
  const { broadcast, clock, limits, log, redactor } = services
  const direct = createDirectSender({ peer, ...services })
  const rate = createRate(limits.messagesPerSecond, () => clock.monotonic())
  const answers = createSerialQueue()
  const failed = (error: unknown) => {
    log.error('SERVER', 'a message could not be answered', { error: String(error) })
    peer.close(1011, 'Internal error.')
  }
  let client: Client | undefined
  let settling: Promise<ClientMode> | undefined

  const withinRate = (): boolean => {
    const isWithin = rate.take()
    if (!isWithin) peer.close(1008, `More than ${limits.messagesPerSecond} messages in a second.`)
    return isWithin
  }
  const refuse =
    (refusal: Refusal): Answer =>
    () =>
      direct.refuse(refusal)
  const shakeHands = (request: HandshakeRequest): Answer => {
    if (client) return refuse(secondHandshake(request.id))
    const lent = services.modeOf?.(request.data.token)
    if (lent === undefined && !services.isTrusted(request.data.token))
      return () => {
        direct.refuse(untrusted(request))
        peer.close(1008, 'The token is missing or wrong.')
      }
    if (broadcast.size >= limits.clients) return () => peer.close(1013, 'Too many clients.')
    const asked = lent === 'readonly' ? lent : request.data.mode
    if (!services.isOfAgent || asked === 'readonly' || services.readonlyOnly) return accept(request, asked)
    // Who it is decides what it may do: what it says meanwhile is read when that is known.
    settling = modeFor(socket, services)
    return async () => {
      const mode = await settling
      settling = undefined
      await accept(request, mode ?? 'readonly')()
    }
  }
  const accept = (request: HandshakeRequest, mode: ClientMode): Answer => {
    const accepted = { ...grantTo(request, mode, services), peer, direct, send: peer.send }
    client = accepted
    peer.gone.addEventListener('abort', () => broadcast.leave(accepted))
    introduced()
    return () => answerHandshake(request, accepted, services)
  }
  const read = (text: string | undefined): Answer => {
    if (text === undefined) return refuse(binaryMessage)
    const message = parseClientMessage(text, redactor.text, {
      extensions: client?.wantsExtensions ?? false,
    })
    if (message.kind === 'handshake') return shakeHands(message.handshake)
    if (!client) return refuse(beforeHandshake(message, text))
    if (message.kind === 'problem') return refuse(afterHandshake(message, text))
    return takeCommand(message.command, client, services)
  }

  return {
    receive(text) {
      if (!withinRate()) return
      if (answers.length >= limits.unanswered) peer.close(1008, 'Too many commands without an answer.')
      else answers.run(settling ? () => read(text)() : read(text)).catch(failed)
    },
    // Pings and pongs are no messages, but they are work all the same.
    receiveControl: () => void withinRate(),
    receiveTooLarge: () => direct.refuse(tooLargeMessage(limits.messageBytes)),
  }
}

function grantTo(
  { data }: HandshakeRequest,
  mode: ClientMode,
  { readonlyOnly, user, allowOtherUsers }: Services,
) {
  const id = createId('client')
  const extensions = data.extensions ?? []
  return {
    id,
    mode: readonlyOnly ? ('readonly' as const) : mode,
    wantsExtensions: extensions.includes(weaveExtension),
    wantsBatches: extensions.includes(batchExtension),
    by: {
      via: faces.find(face => extensions.includes(`${weaveExtension}-${face}`)) ?? ('socket' as const),
      ...(user !== undefined && !allowOtherUsers && { user }),
      clientId: id,
    },
  }
}

/** What a client may say it is, as an extension: only for the record. */
const faces = ['cli', 'terminal', 'web'] as const

/** An agent may watch; that it does not decide for a person is why there are gates. */
async function modeFor(socket: Socket, { isOfAgent, log }: Services): Promise<ClientMode> {
  const isAgent = await isOfAgent?.(socket).catch(() => true)
  if (isAgent) log.warn('SERVER', 'a client of this run’s own agent may only watch: there are gates')
  return isAgent ? 'readonly' : 'readandwrite'
}

/**
 * Takes connections in, and closes those that do not shake hands in time. A connection that is told to go gives its place
 * back at once; one that never shook hands and does not go is cut soon after.
 */
export function acceptSockets(services: Services, peers: Set<Peer>): HttpEntryOptions['onSocket'] {
  const { clock, limits } = services
  return (ws, request, introduced) => {
    const peer = createPeer({ ws, socket: request.socket, queueBytes: limits.queueBytes })
    const patience = new AbortController()
    let isClient = false
    const settled = (): void => {
      introduced()
      patience.abort()
    }
    peers.add(peer)
    peer.gone.addEventListener('abort', () => peers.delete(peer))
    peer.closing.addEventListener('abort', () => {
      settled()
      if (!isClient) cutLater(peer, services)
    })
    peer.listen(
      createConnection({ peer, socket: request.socket }, services, () => {
        isClient = true
        settled()
      }),
    )
    clock.sleep(limits.handshakeMs, patience.signal).then(
      () => peer.close(1008, 'No handshake in time.'),
      () => undefined,
    )
  }
}

function cutLater(peer: Peer, { clock, limits }: Services): void {
  clock.sleep(limits.strangerFarewellMs, peer.gone).then(
    () => peer.cut(),
    () => undefined,
  )
}

/** So many at once, and as many again each second. */
export function createRate(perSecond: number, monotonic: () => number): { take(): boolean } {
  let left = perSecond
  let last = monotonic()
  return {
    take() {
      const now = monotonic()
      left = Math.min(perSecond, left + ((now - last) / 1000) * perSecond)
      last = now
      if (left < 1) return false
      left--
      return true
    },
  }
}
