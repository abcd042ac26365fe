import { readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { type ConnectionTable, isLoopback, listedSocket, readConnectionTable } from './connection-table.ts'

/**
 * Whether the program at the other end belongs to this user or to root. Loopback is shared by all users of a machine,
 * and only the system knows who is at the other end; on Linux it says so, elsewhere everyone on loopback may pass.
 *
 * Only a socket that a program holds open counts. A peer that has closed its socket, or that the system does not list,
 * is nobody: it is refused.
 */
export type PeerUserCheck = (socket: Socket) => Promise<boolean>

export function createPeerUserCheck(): PeerUserCheck {
  const own = process.getuid?.()
  if (process.platform !== 'linux' || own === undefined) return async () => true
  const table = createTableReader()
  return socket => isOneOfUs(socket, { own, table })
}

interface Check {
  readonly own: number
  readonly table: () => Promise<ConnectionTable>
}

/** A table is read in pieces while it changes: a row may be missed now and then. */
const looks = 3

async function isOneOfUs(socket: Socket, { own, table }: Check): Promise<boolean> {
  const { remoteAddress, remotePort = 0, localAddress, localPort = 0 } = socket
  if (remoteAddress === undefined || localAddress === undefined) return false
  // Our end decides, not theirs: a program of this machine may give any address of the machine as its own. Who came in
  // beyond loopback is not looked up: it needs the token.
  if (!isLoopback(localAddress)) return true
  const there = { address: remoteAddress, port: remotePort }
  const here = { address: localAddress, port: localPort }
  for (let look = 0; look < looks; look++) {
    const peer = listedSocket(await table(), there, here)
    if (peer) return peer.isHeld && (peer.user === own || peer.user === 0)
  }
  return false
}

/** Many connections in one moment share a reading, but never one that began before they were there. */
function createTableReader(): () => Promise<ConnectionTable> {
  let running: Promise<unknown> = Promise.resolve()
  let next: Promise<ConnectionTable> | undefined
  return () => {
    next ??= running.then(() => {
      next = undefined
      const reading = readTable()
      running = reading
      return reading
    })
    return next
  }
}

async function readTable(): Promise<ConnectionTable> {
  const read = (name: string) => readFile(`/proc/net/${name}`, 'latin1').catch(() => '')
  return readConnectionTable(...(await Promise.all(['tcp', 'tcp6'].map(read))))
}
