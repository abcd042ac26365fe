import { readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { endianness } from 'node:os'
import { createSharedReading } from './shared-reading.ts'

/**
 * Whether the program at the other end belongs to this user or to root: loopback is shared by all users of a machine. Linux
 * knows; elsewhere everyone on loopback may pass. A peer that has closed its socket, or is not listed, is nobody: refused.
 */
export type PeerUserCheck = (socket: Socket) => Promise<boolean>

export function createPeerUserCheck(): PeerUserCheck {
  const own = process.getuid?.()
  if (process.platform !== 'linux' || own === undefined) return async () => true
  const table = createSharedReading(readTable)
  return async socket => {
    const { remoteAddress, remotePort = 0, localAddress, localPort = 0 } = socket
    if (remoteAddress === undefined || localAddress === undefined) return false
    // Our end decides: a program may give any address of the machine as its own. Beyond loopback the token decides.
    if (!isLoopback(localAddress)) return true
    const there = { address: remoteAddress, port: remotePort }
    const here = { address: localAddress, port: localPort }
    for (let look = 0; look < looks; look++) {
      const peer = listedSocket(await table(), there, here)
      if (peer) return peer.isHeld && (peer.user === own || peer.user === 0)
    }
    return false
  }
}

/** The socket of the program at the other end; undefined: it is closed, or not listed. Linux only. */
export async function peerInode(there: End, here: End): Promise<string | undefined> {
  for (let look = 0; look < looks; look++) {
    const peer = listedSocket(await readTable(), there, here)
    if (peer) return peer.isHeld ? peer.inode : undefined
  }
  return undefined
}

/** A table is read in pieces while it changes: a row may be missed now and then. */
const looks = 3

async function readTable(): Promise<ConnectionTable> {
  const read = (name: string) => readFile(`/proc/net/${name}`, 'latin1').catch(() => '')
  return readConnectionTable(...(await Promise.all(['tcp', 'tcp6'].map(read))))
}

interface End {
  readonly address: string
  readonly port: number
}

/** The two ends of each connection, as they are printed, and the rest of the line. */
type ConnectionTable = ReadonlyMap<string, string>

/** From the texts of `/proc/net/tcp` and `/proc/net/tcp6`. A line that is cut off says nothing. */
export function readConnectionTable(...texts: readonly string[]): ConnectionTable {
  const rows = texts.flatMap(text => [...text.matchAll(/^ *\d+: (\S+ \S+) (.+)\n/gm)])
  return new Map(rows.map(([, ends = '', rest = '']) => [ends, rest]))
}

/**
 * Undefined: not listed. IPv6 is understood for loopback only. `isHeld`: a program holds it open. One that was closed is
 * listed for a while as one of user 0, which says nothing.
 */
export function listedSocket(table: ConnectionTable, here: End, there: End) {
  const peers = formsOf(there)
  for (const [index, form] of formsOf(here).entries()) {
    const rest = table.get(`${form} ${peers[index]}`) ?? ''
    const [state, , , , user = '', , inode = ''] = rest.split(/\s+/)
    if (/^\d+$/.test(user) && /^\d+$/.test(inode))
      return { user: Number(user), inode, isHeld: state === established && inode !== '0' }
  }
  return undefined
}

const established = '01'

export function isLoopback(address: string): boolean {
  return address === '::1' || /^(?:::ffff:)?127\./.test(address)
}

/** A program may reach an IPv4 address through a socket of either kind. */
function formsOf({ address, port }: End): readonly string[] {
  const zeros = Array.from({ length: 15 }, () => 0)
  if (address === '::1') return [printed([...zeros, 1], port)]
  const four = address.replace('::ffff:', '').split('.').map(Number)
  if (four.length !== 4) return []
  return [printed(four, port), printed([...zeros.slice(0, 10), 255, 255, ...four], port)]
}

/** The kernel prints each group of four bytes as a number of the machine's own byte order. */
function printed(bytes: readonly number[], port: number): string {
  const words = Buffer.from(bytes)
  if (endianness() === 'LE') words.swap32()
  return `${words.toString('hex')}:${port.toString(16).padStart(4, '0')}`.toUpperCase()
}
