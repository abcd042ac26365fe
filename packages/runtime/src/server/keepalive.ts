import type { Clock } from '../kit/index.ts'
import type { Peer } from './peer.ts'

export interface KeepaliveOptions {
  readonly peers: ReadonlySet<Peer>
  readonly clock: Clock
  readonly pingMs: number
  /** 0: an idle connection may stay. */
  readonly idleTimeoutSeconds: number
}

/**
 * Finds connections that nobody is at the other end of, and those over which nothing is said. Returns how to end it.
 *
 * - A peer from which neither a byte came nor went during a whole period, although it was asked, is cut off.
 * - A peer over which nothing was said for `idleTimeoutSeconds` is closed with 1001. Our own asking does not count.
 */
export function keepAlive(options: KeepaliveOptions): () => void {
  const { clock, idleTimeoutSeconds, pingMs } = options
  const stopPings = clock.every(pingMs, createPings(options))
  if (idleTimeoutSeconds === 0) return stopPings
  const stopIdleChecks = clock.every(1_000, createIdleChecks(options))
  return () => {
    stopPings()
    stopIdleChecks()
  }
}

function createPings({ peers }: KeepaliveOptions): () => void {
  const asked = new WeakMap<Peer, number>()
  return () => {
    for (const peer of peers) {
      const signs = peer.signsOfLife
      if (asked.get(peer) === signs) {
        peer.cut()
        continue
      }
      asked.set(peer, signs)
      peer.ping()
    }
  }
}

function createIdleChecks({ peers, clock, idleTimeoutSeconds }: KeepaliveOptions): () => void {
  const seen = new WeakMap<Peer, { readonly traffic: number; readonly since: number }>()
  return () => {
    const now = clock.monotonic()
    for (const peer of peers) {
      const before = seen.get(peer)
      if (before?.traffic !== peer.traffic) seen.set(peer, { traffic: peer.traffic, since: now })
      else if (now - before.since >= idleTimeoutSeconds * 1_000) peer.close(1001, 'Idle.')
    }
  }
}
