import type { Server } from 'node:http'
import type { Clock } from '../kit/index.ts'
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
  const inTime = createDeadline(clock, stepMs)
  for (const server of servers) server.close()
  await inTime([...peers].map(peer => peer.drained()))
  for (const peer of peers) peer.close(code, reason)
  await inTime([...peers].map(peer => goneFrom(peer)))
  for (const peer of peers) peer.cut()
  await inTime([...peers].map(peer => goneFrom(peer)))
  for (const server of servers) server.closeAllConnections()
}

/** Waits for all of it, but not for longer than that. */
function createDeadline(clock: Clock, ms: number): (work: readonly Promise<void>[]) => Promise<void> {
  return async work => {
    const patience = new AbortController()
    const late = clock.sleep(ms, patience.signal).catch(() => undefined)
    await Promise.race([Promise.all(work), late])
    patience.abort()
  }
}

function goneFrom({ gone }: Peer): Promise<void> {
  return new Promise(resolve => {
    if (gone.aborted) resolve()
    else gone.addEventListener('abort', () => resolve())
  })
}
