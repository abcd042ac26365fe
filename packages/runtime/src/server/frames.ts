/**
 * Frames as a server sends them (RFC 6455, 5.2): whole, unmasked, uncompressed. Because nothing in them belongs to one
 * client, a frame is built once and its bytes are shared by all who get it.
 */
const opcodes = { text: 0x1, ping: 0x9, pong: 0xa } as const
const final = 0x80

/** One or more whole frames, in parts that are written one after another with nothing between them. */
export type Frames = readonly Buffer[]

/** One buffer with a text frame for each text. */
export function textFrames(texts: readonly string[]): Buffer {
  const sizes = texts.map(text => Buffer.byteLength(text))
  const target = Buffer.allocUnsafe(sizes.reduce((sum, size) => sum + headBytes(size) + size, 0))
  let at = 0
  for (const [index, text] of texts.entries()) {
    at = writeHead(target, at, sizes[index] ?? 0)
    at += target.write(text, at)
  }
  return target
}

/** A text frame whose payload is already there as bytes. */
export function textFrameOf(parts: Frames): Frames {
  const size = parts.reduce((sum, part) => sum + part.length, 0)
  const head = Buffer.allocUnsafe(headBytes(size))
  writeHead(head, 0, size)
  return [head, ...parts]
}

export const pingFrame: Frames = [Buffer.from([final | opcodes.ping, 0])]

/** `payload` comes from a ping, which carries at most 125 bytes. */
export function pongFrame(payload: Buffer): Frames {
  return [Buffer.concat([Buffer.from([final | opcodes.pong, payload.length]), payload])]
}

function headBytes(size: number): number {
  if (size < 126) return 2
  return size < 65_536 ? 4 : 10
}

function writeHead(target: Buffer, at: number, size: number): number {
  target[at] = final | opcodes.text
  if (size < 126) return target.writeUInt8(size, at + 1)
  if (size < 65_536) {
    target[at + 1] = 126
    return target.writeUInt16BE(size, at + 2)
  }
  target[at + 1] = 127
  return target.writeBigUInt64BE(BigInt(size), at + 2)
}
