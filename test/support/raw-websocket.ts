import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** A frame as it came over the wire. Frames of a server are never masked. */
export interface RawFrame {
  readonly fin: boolean
  readonly opcode: number
  readonly payload: Buffer
}

/** How a connection ended: by a closing frame, or without one (1006). */
export interface RawEnd {
  readonly code: number
  readonly reason: string
}

/**
 * A WebSocket client of bare bytes (RFC 6455): it does what it is told, right or wrong, and shows every frame it gets.
 * It answers nothing by itself, neither pings nor closing frames.
 */
export interface RawWebSocket {
  readonly socket: Socket
  /** Frames so far; text frames of the server as they came. */
  readonly frames: readonly RawFrame[]
  /** Resolves when a closing frame has come, or the end without one. */
  readonly ended: Promise<RawEnd>
  write(bytes: Buffer): void
  sendText(text: string): void
  sendJson(message: unknown): void
  /** Resolves with the first frame from `from` on that fits, now or later; rejects when the connection ends first. */
  until(fits: (frame: RawFrame) => boolean, from?: number): Promise<RawFrame>
}

export interface RawRequest {
  readonly port: number
  readonly address?: string
  /** Name, value; `Host` is given by default. */
  readonly headers?: readonly (readonly [name: string, value: string])[]
  /** Leaves out the headers that every upgrade has. */
  readonly bare?: boolean
  readonly method?: string
  readonly target?: string
}

export type RawAnswer =
  | { readonly status: 101; readonly head: string; readonly websocket: RawWebSocket }
  | { readonly status: number; readonly head: string; readonly body: string; readonly websocket?: never }

export const opcode = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const

export interface FrameOptions {
  readonly fin?: boolean
  readonly opcode?: number
  readonly rsv?: number
  readonly masked?: boolean
  /** What the length field says, if not the truth. */
  readonly length?: number
  /** Which form of the length is used, if not the shortest. */
  readonly lengthBytes?: 1 | 2 | 8
}

/** One frame from a client, by default a right one. */
export function clientFrame(payload: Buffer | string, options: FrameOptions = {}): Buffer {
  const { fin = true, opcode: code = opcode.text, rsv = 0, masked = true } = options
  const bytes = Buffer.from(payload)
  const length = options.length ?? bytes.length
  const form = options.lengthBytes ?? (length < 126 ? 1 : length < 65_536 ? 2 : 8)
  const head = Buffer.alloc(1 + (form === 1 ? 1 : form + 1))
  head[0] = (fin ? 0x80 : 0) | (rsv << 4) | code
  if (form === 1) head[1] = length
  else head[1] = form === 2 ? 126 : 127
  if (form === 2) head.writeUInt16BE(length, 2)
  if (form === 8) head.writeBigUInt64BE(BigInt(length), 2)
  if (!masked) return Buffer.concat([head, bytes])
  head[1] = (head[1] ?? 0) | 0x80
  const mask = randomBytes(4)
  return Buffer.concat([head, mask, bytes.map((byte, at) => byte ^ (mask[at % 4] ?? 0))])
}

export function closeFrame(code: number, reason = ''): Buffer {
  const payload = Buffer.alloc(2 + Buffer.byteLength(reason))
  payload.writeUInt16BE(code, 0)
  payload.write(reason, 2)
  return clientFrame(payload, { opcode: opcode.close })
}

/** Sends a request to upgrade and reads the answer to it. */
export async function rawUpgrade(request: RawRequest): Promise<RawAnswer> {
  const socket = connect({ port: request.port, host: request.address ?? '127.0.0.1' })
  socket.on('error', () => undefined)
  socket.setNoDelay(true)
  await once(socket, 'connect')
  socket.write(requestText(request))
  const { head, rest } = await readHead(socket)
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1])
  if (status === 101) return { status, head, websocket: rawWebSocket(socket, rest) }
  return { status, head, body: await readBody(socket, rest) }
}

/** Opens a WebSocket; anything but a 101 is an error. */
export async function rawConnect(request: RawRequest): Promise<RawWebSocket> {
  const answer = await rawUpgrade(request)
  if (answer.websocket) return answer.websocket
  throw new Error(`no WebSocket: ${answer.status}`)
}

/** The frames at the beginning of some bytes, and what is left over of an unfinished one. */
export function parseFrames(bytes: Buffer): { readonly frames: readonly RawFrame[]; readonly rest: Buffer } {
  const frames: RawFrame[] = []
  let rest = bytes
  for (let found = firstFrame(rest); found; found = firstFrame(rest)) {
    frames.push(found.frame)
    rest = rest.subarray(found.size)
  }
  return { frames, rest }
}

function firstFrame(bytes: Buffer): { readonly frame: RawFrame; readonly size: number } | undefined {
  if (bytes.length < 2) return undefined
  const first = bytes[0] ?? 0
  const short = bytes[1] ?? 0
  if ((short & 0x80) !== 0) throw new Error('a server must not mask')
  if ((first & 0x70) !== 0) throw new Error('a server must not set reserved bits')
  const headBytes = short < 126 ? 2 : short === 126 ? 4 : 10
  if (bytes.length < headBytes) return undefined
  const length =
    short < 126 ? short : short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2))
  const size = headBytes + length
  if (bytes.length < size) return undefined
  const payload = Buffer.from(bytes.subarray(headBytes, size))
  return { frame: { fin: (first & 0x80) !== 0, opcode: first & 0x0f, payload }, size }
}

function requestText({ port, headers = [], bare = false, method = 'GET', target = '/' }: RawRequest): string {
  const usual: (readonly [string, string])[] = [
    ['Connection', 'Upgrade'],
    ['Upgrade', 'websocket'],
    ['Sec-WebSocket-Version', '13'],
    ['Sec-WebSocket-Key', randomBytes(16).toString('base64')],
  ]
  const hasHost = bare || headers.some(([name]) => name.toLowerCase() === 'host')
  const host: (readonly [string, string])[] = hasHost ? [] : [['Host', `127.0.0.1:${port}`]]
  const lines = [...host, ...(bare ? [] : usual), ...headers].map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`
}

/** Leaves the socket paused, with nobody listening. */
function readHead(socket: Socket): Promise<{ readonly head: string; readonly rest: Buffer }> {
  return new Promise((resolve, reject) => {
    let bytes = Buffer.alloc(0)
    const lost = (): void => reject(new Error('the connection ended without an answer'))
    const take = (chunk: Buffer): void => {
      bytes = Buffer.concat([bytes, chunk])
      const end = bytes.indexOf('\r\n\r\n')
      if (end === -1) return
      socket.off('data', take).off('close', lost).pause()
      resolve({ head: bytes.toString('latin1', 0, end), rest: bytes.subarray(end + 4) })
    }
    socket.on('data', take).once('close', lost)
  })
}

async function readBody(socket: Socket, rest: Buffer): Promise<string> {
  const chunks = [rest]
  for await (const chunk of socket) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

function rawWebSocket(socket: Socket, first: Buffer): RawWebSocket {
  const frames: RawFrame[] = []
  const waiting = new Set<() => void>()
  let rest: Buffer = Buffer.alloc(0)
  let isOver = false
  let end: (how: RawEnd) => void = () => undefined
  const ended = new Promise<RawEnd>(resolve => {
    end = resolve
  })
  const tell = (): void => {
    for (const look of waiting) look()
    if (isOver || frames.at(-1)?.opcode === opcode.close) end(endOf(frames))
  }
  const take = (chunk: Buffer): void => {
    const parsed = parseFrames(Buffer.concat([rest, chunk]))
    rest = parsed.rest
    frames.push(...parsed.frames)
    tell()
  }
  take(first)
  socket.on('data', take).resume()
  socket.once('close', () => {
    isOver = true
    tell()
  })
  const until = (fits: (frame: RawFrame) => boolean, from = 0): Promise<RawFrame> =>
    new Promise((resolve, reject) => {
      let at = from
      const look = (): void => {
        for (; at < frames.length; at++) {
          const frame = frames[at]
          if (!frame || !fits(frame)) continue
          waiting.delete(look)
          resolve(frame)
          return
        }
        if (!isOver) return
        waiting.delete(look)
        reject(new Error(`the connection ended (${endOf(frames).code}) before the frame came`))
      }
      waiting.add(look)
      look()
    })
  return {
    socket,
    frames,
    ended,
    until,
    write: bytes => void socket.write(bytes),
    sendText: text => void socket.write(clientFrame(text)),
    sendJson: message => void socket.write(clientFrame(JSON.stringify(message))),
  }
}

function endOf(frames: readonly RawFrame[]): RawEnd {
  const closing = frames.find(frame => frame.opcode === opcode.close)
  if (!closing) return { code: 1006, reason: '' }
  if (closing.payload.length < 2) return { code: 1005, reason: '' }
  return { code: closing.payload.readUInt16BE(0), reason: closing.payload.toString('utf8', 2) }
}
