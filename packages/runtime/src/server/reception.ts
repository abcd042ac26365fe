import { createConnection } from './connection.ts'
import type { DoorOptions } from './door.ts'
import { createPeer, type Peer } from './peer.ts'
import type { Services } from './services.ts'

/**
 * Takes connections in, and closes those that do not shake hands in time. A connection that is told to go gives its place
 * back at once; one that never shook hands and does not go is cut soon after.
 */
export function createReception(services: Services, peers: Set<Peer>): DoorOptions['onSocket'] {
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
      createConnection(peer, services, () => {
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
