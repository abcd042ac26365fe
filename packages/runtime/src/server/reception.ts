import { createConnection } from './connection.ts'
import type { DoorOptions } from './door.ts'
import { createPeer, type Peer } from './peer.ts'
import type { Services } from './services.ts'

/** Takes connections in, and closes those that do not shake hands in time. */
export function createReception(services: Services, peers: Set<Peer>): DoorOptions['onSocket'] {
  const { clock, limits } = services
  return (ws, request, introduced) => {
    const peer = createPeer({ ws, socket: request.socket, queueBytes: limits.queueBytes })
    const patience = new AbortController()
    const settled = (): void => {
      introduced()
      patience.abort()
    }
    peers.add(peer)
    peer.gone.addEventListener('abort', () => {
      peers.delete(peer)
      settled()
    })
    peer.listen(createConnection(peer, services, settled))
    clock.sleep(limits.handshakeMs, patience.signal).then(
      () => peer.close(1008, 'No handshake in time.'),
      () => undefined,
    )
  }
}
