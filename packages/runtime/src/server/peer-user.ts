import { readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { isLoopback, ownerOf } from './connection-table.ts'

/**
 * Whether the program at the other end belongs to this user or to root. Loopback is shared by all users of a machine,
 * and only the system knows who is at the other end; on Linux it says so, elsewhere everyone on loopback may pass.
 * Peers from beyond loopback are not looked up: they need the token.
 */
export type PeerUserCheck = (socket: Socket) => Promise<boolean>

export function createPeerUserCheck(): PeerUserCheck {
  const own = process.getuid?.()
  if (process.platform !== 'linux' || own === undefined) return async () => true
  const tables = createTableReader()
  const verdicts = new WeakMap<Socket, Promise<boolean>>()
  return socket => {
    const verdict = verdicts.get(socket) ?? isOneOfUs(socket, { own, tables })
    verdicts.set(socket, verdict)
    return verdict
  }
}

interface Check {
  readonly own: number
  readonly tables: () => Promise<string>
}

async function isOneOfUs(socket: Socket, { own, tables }: Check): Promise<boolean> {
  const { remoteAddress, remotePort = 0, localAddress, localPort = 0 } = socket
  if (remoteAddress === undefined || localAddress === undefined) return false
  if (!isLoopback(remoteAddress)) return true
  const there = { address: remoteAddress, port: remotePort }
  const here = { address: localAddress, port: localPort }
  // A table is read in pieces while it changes: a row may be missed once.
  for (const _ of [1, 2]) {
    const text = await tables()
    const user = ownerOf(text, there, here)
    if (user !== undefined) return user === own || user === 0
    // A table that does not even list our own end says nothing about the other.
    if (ownerOf(text, here, there) === undefined) return true
  }
  return false
}

/** Many connections in one moment share a reading, but never one that began before they were there. */
function createTableReader(): () => Promise<string> {
  let running: Promise<unknown> = Promise.resolve()
  let next: Promise<string> | undefined
  return () => {
    next ??= running.then(() => {
      next = undefined
      const reading = readTables()
      running = reading
      return reading
    })
    return next
  }
}

async function readTables(): Promise<string> {
  const read = (name: string) => readFile(`/proc/net/${name}`, 'latin1').catch(() => '')
  return (await Promise.all(['tcp', 'tcp6'].map(read))).join('\n')
}
