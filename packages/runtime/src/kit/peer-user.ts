import { readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { endianness } from 'node:os'

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

/** One end of a connection. */
interface End {
  readonly address: string
  readonly port: number
}

/** A socket as the system lists it. */
interface ListedSocket {
  readonly user: number
  /**
   * It is open in both directions and a program holds it. A socket that its program has closed is listed for a while
   * longer, as a socket of user 0: that number says nothing then.
   */
  readonly isHeld: boolean
}

/** What the system lists: of each connection its two ends, as they are printed, and the rest of the line. */
type ConnectionTable = ReadonlyMap<string, string>

/** From the texts of `/proc/net/tcp` and `/proc/net/tcp6`. A line that is cut off says nothing. */
export function readConnectionTable(...texts: readonly string[]): ConnectionTable {
  const rows = texts.flatMap(text => [...text.matchAll(/^ *\d+: (\S+ \S+) (.+)\n/gm)])
  return new Map(rows.map(([, ends = '', rest = '']) => [ends, rest]))
}

/**
 * The socket with this end here and that one there; undefined when no such socket is listed. IPv6 is understood for
 * loopback only.
 */
export function listedSocket(table: ConnectionTable, here: End, there: End): ListedSocket | undefined {
  for (const form of forms) {
    const rest = table.get(`${form(here)} ${form(there)}`) ?? ''
    const [state, , , , user = '', , inode = ''] = rest.split(/\s+/)
    if (/^\d+$/.test(user) && /^\d+$/.test(inode))
      return { user: Number(user), isHeld: state === established && inode !== '0' }
  }
  return undefined
}

const established = '01'

export function isLoopback(address: string): boolean {
  return address === '::1' || /^(?:::ffff:)?127\./.test(address)
}

/** A program may reach an IPv4 address through a socket of either kind. */
const forms = [plainForm, mappedForm]

function plainForm({ address, port }: End): string {
  if (address === '::1') return `${words([...zeros(15), 1])}:${hex(port, 4)}`
  return `${words(fourBytes(address))}:${hex(port, 4)}`
}

function mappedForm({ address, port }: End): string {
  return `${words([...zeros(10), 255, 255, ...fourBytes(address)])}:${hex(port, 4)}`
}

function fourBytes(address: string): readonly number[] {
  return address.replace('::ffff:', '').split('.').map(Number)
}

/** The kernel prints each group of four bytes as a number of the machine's own byte order. */
function words(bytes: readonly number[]): string {
  const text = bytes.map(byte => hex(byte, 2))
  if (endianness() === 'BE') return text.join('')
  const swapped = text.map((_, at) => text[at - (at % 4) + 3 - (at % 4)])
  return swapped.join('')
}

function zeros(count: number): readonly number[] {
  return Array.from({ length: count }, () => 0)
}

function hex(value: number, digits: number): string {
  return value.toString(16).toUpperCase().padStart(digits, '0')
}
