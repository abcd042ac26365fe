import type { Server } from 'node:http'
import { type Clock, inTime } from '../kit/index.ts'
import type { Peer } from './peer.ts'

export interface EndOptions {
  readonly servers: readonly Server[]
  readonly peers: ReadonlySet<Peer>
  readonly clock: Clock
  /** How long each step may take. */
  readonly stepMs: number
  readonly reason: string
  readonly code: number
}

/** Takes no more connections; lets everyone have what is queued for them, says goodbye, and cuts off who does not go. */
export async function endConnections(options: EndOptions): Promise<void> {
  const { servers, peers, clock, stepMs, reason, code } = options
  const waitFor = (work: readonly Promise<void>[]) => inTime(Promise.all(work), { clock, ms: stepMs })
  for (const server of servers) server.close()
  await waitFor([...peers].map(peer => peer.drained()))
  for (const peer of peers) peer.close(code, reason)
  await waitFor([...peers].map(peer => goneFrom(peer)))
  for (const peer of peers) peer.cut()
  await waitFor([...peers].map(peer => goneFrom(peer)))
  for (const server of servers) server.closeAllConnections()
}

function goneFrom({ gone }: Peer): Promise<void> {
  return new Promise(resolve => {
    if (gone.aborted) resolve()
    else gone.addEventListener('abort', () => resolve())
  })
}
