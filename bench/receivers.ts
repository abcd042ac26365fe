import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { createFrameReader, type FrameReader } from './frame-reader.ts'

/**
 * Many clients of bare bytes in a process of their own: they shake hands, count frames, and look at nothing else, so
 * that what is measured is the sender.
 */
export type Order =
  | {
      readonly do: 'connect'
      readonly port: number
      readonly count: number
      /** Frames that each gets before anything else. */
      readonly greetings: number
      /** Whether messages say when they were sent. */
      readonly isTimed?: boolean
    }
  /** Answered when every client has got this many frames since its greetings. */
  | { readonly do: 'await'; readonly frames: number }
  | { readonly do: 'sync' }
  | { readonly do: 'leave' }

export interface Answer {
  readonly delays?: { readonly p50: number; readonly p99: number }
  readonly first?: number
  readonly all?: number
}

interface Receiver {
  readonly socket: Socket
  readonly reader: FrameReader
}

let receivers: readonly Receiver[] = []
let changed = (): void => undefined
/** Of three seconds at a thousand events each to a hundred clients. A list that grows stands still now and then. */
const delays = new Float64Array(400_000)
let delayed = 0
/** The clock by which senders say when they sent, read without making an object. */
const clockAhead = Number(process.hrtime.bigint()) / 1e6 - performance.now()

process.on('message', (order: Order) => void obey(order).then(answer => process.send?.(answer)))
process.on('disconnect', () => process.exit())

async function obey(order: Order): Promise<Answer> {
  switch (order.do) {
    case 'connect':
      await connectAll(order)
      return {}
    case 'await':
      await until(() => receivers.every(({ reader }) => reader.frames >= order.frames))
      return { delays: summary() }
    case 'sync':
      return sync()
    case 'leave':
      for (const { socket } of receivers) socket.destroy()
      receivers = []
      return {}
  }
}

async function connectAll(order: Order & { do: 'connect' }): Promise<void> {
  const { count, greetings } = order
  const all: Receiver[] = []
  for (let made = 0; made < count; made += 50) {
    const some = Array.from({ length: Math.min(50, count - made) }, () => connectOne(order))
    all.push(...(await Promise.all(some)))
  }
  receivers = all
  await until(() => all.every(({ reader }) => reader.frames >= greetings))
  for (const { reader } of all) reader.frames = 0
  delayed = 0
}

async function connectOne({ port, isTimed = false }: Order & { do: 'connect' }): Promise<Receiver> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.setNoDelay(true)
  socket.write(
    `GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
  )
  const note = (sentAt: number): void => {
    delays[delayed++] = performance.now() + clockAhead - sentAt / 1e6
  }
  const reader = createFrameReader(isTimed ? note : undefined)
  await new Promise<void>(resolve => {
    socket.once('data', (chunk: Buffer) => {
      reader.read(chunk.subarray(chunk.indexOf('\r\n\r\n') + 4))
      resolve()
    })
  })
  socket.on('data', (chunk: Buffer) => {
    reader.read(chunk)
    changed()
  })
  socket.write(masked('{"type":"handshake","data":{"mode":"readonly","extensions":["weave"]}}'))
  return { socket, reader }
}

/** Asks the one client for the whole journal; times of the first and of the last batch. */
async function sync(): Promise<Answer> {
  const [receiver] = receivers
  if (!receiver) throw new Error('nobody is connected')
  const { reader, socket } = receiver
  const started = performance.now()
  reader.lastEnd = ''
  const before = reader.frames
  socket.write(masked('{"id":"s","type":"history.sync"}'))
  await until(() => reader.frames > before)
  const first = performance.now() - started
  await until(() => reader.lastEnd.includes('"hasMore":false'))
  return { first, all: performance.now() - started }
}

function until(holds: () => boolean): Promise<void> {
  return new Promise(resolve => {
    changed = () => {
      if (!holds()) return
      changed = () => undefined
      resolve()
    }
    changed()
  })
}

function summary(): { readonly p50: number; readonly p99: number } {
  const sorted = delays.subarray(0, delayed).sort()
  delayed = 0
  const at = (part: number) => sorted[Math.floor(sorted.length * part)] ?? Number.NaN
  return { p50: at(0.5), p99: at(0.99) }
}

/** The mask is zero: the payload travels as it is. */
function masked(text: string): Buffer {
  const payload = Buffer.from(text)
  return Buffer.concat([Buffer.from([0x81, 0x80 | payload.length, 0, 0, 0, 0]), payload])
}
