import { promisify } from 'node:util'
import { deflate, deflateSync } from 'node:zlib'
import type { ObjectType } from './object-id.ts'

/** The content as a zlib stream, which is how git keeps all of it. */
export function deflated(type: ObjectType, content: Buffer): Buffer | Promise<Buffer> {
  // Trees are mostly ids, which are as good as random.
  if (type !== 'blob' && content.length <= longestStored) return storedBlock(content)
  // Node allocates and keeps a whole chunk for the result, however short that is.
  const chunkSize = Math.min(largestChunk, Math.max(smallestChunk, content.length))
  // A window as large as the content, and tables that go with it: to set up more takes longer than to fill it.
  const windowBits = Math.min(widestWindow, Math.max(narrowestWindow, 33 - Math.clz32(content.length)))
  const memLevel = Math.min(mostMemory, Math.max(leastMemory, windowBits - 7))
  const options = { level: 1, chunkSize, windowBits, memLevel }
  return content.length <= smallContent ? deflateSync(content, options) : deflateLater(content, options)
}

/** For more, another thread; for less, the way there takes longer than the work. */
const smallContent = 64 << 10
const smallestChunk = 64
const largestChunk = 64 << 10
const narrowestWindow = 9
const widestWindow = 15
const leastMemory = 2
const mostMemory = 8
const deflateLater = promisify(deflate)
const longestStored = 0xffff

/** A stream of one block that is not compressed: what setting up a compressor costs is ten times as much. */
function storedBlock(content: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(content.length + 11)
  let at = bytes.writeUInt16BE(streamHead, 0)
  at = bytes.writeUInt8(lastBlock, at)
  at = bytes.writeUInt16LE(content.length, at)
  at = bytes.writeUInt16LE(content.length ^ 0xffff, at)
  at += content.copy(bytes, at)
  bytes.writeUInt32BE(adler32(content), at)
  return bytes
}

const streamHead = 0x7801
const lastBlock = 1

function adler32(content: Buffer): number {
  let a = 1
  let b = 0
  for (let at = 0; at < content.length; ) {
    const end = Math.min(at + sumsBeforeOverflow, content.length)
    for (; at < end; at++) {
      a += content[at] ?? 0
      b += a
    }
    a %= modulus
    b %= modulus
  }
  return b * 65_536 + a
}

const modulus = 65_521
const sumsBeforeOverflow = 3_800
