import type { HandshakeRequest } from '@weave/protocol'
import { textFrameOf, textFrames } from './frames.ts'
import type { Client, Services } from './services.ts'

/**
 * Answers a handshake: `handshake.response`, `server.ready`, then the live events.
 *
 * Nothing is lost or doubled between the history and the live events: the client joins at one `seq`. What is at or
 * before it comes from the journal's files; what is after it is held back until the response is out.
 */
export async function greet(request: HandshakeRequest, client: Client, services: Services): Promise<void> {
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
