export const lastChunk = '0\r\n\r\n'

/** Bytes as one chunk. The bytes must not be empty: that would end the body. */
export function chunkOf(bytes: Buffer): Buffer {
  const size = `${bytes.length.toString(16)}\r\n`
  const chunk = Buffer.allocUnsafe(size.length + bytes.length + 2)
  chunk.write(size, 0, 'latin1')
  chunk.set(bytes, size.length)
  chunk[chunk.length - 2] = 0x0d
  chunk[chunk.length - 1] = 0x0a
  return chunk
}
