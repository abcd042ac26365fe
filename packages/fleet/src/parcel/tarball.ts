import { promisify } from 'node:util'
import { createGzip, gzip } from 'node:zlib'
import { packTar, type TarEntry, type TarHead, tarEnd, tarHead, tarPadding } from './tar.ts'

/** Small pieces are put together, since each way to the compressor and back takes a while. */
const pieceBytes = 256 * 1024

/**
 * A compressed tar that is never whole in memory before it is compressed. Its first entry is said last: it stands in a
 * gzip member of its own before the others, which every reader takes for one stream.
 */
export function createTarball() {
  const compressor = createGzip()
  const compressed: Buffer[] = []
  compressor.on('data', (chunk: Buffer) => compressed.push(chunk))
  const ended = new Promise<void>((resolve, reject) => compressor.once('end', resolve).once('error', reject))
  // Nobody listens before the end.
  ended.catch(() => undefined)
  let waiting: Buffer[] = []
  let bytes = 0

  const drain = async (): Promise<void> => {
    const piece = Buffer.concat(waiting)
    waiting = []
    bytes = 0
    await new Promise<void>((resolve, reject) =>
      compressor.write(piece, error => (error ? reject(error) : resolve())),
    )
  }
  const put = async (piece: Buffer): Promise<void> => {
    waiting.push(piece)
    bytes += piece.length
    if (bytes >= pieceBytes) await drain()
  }

  return {
    /** The content has exactly this size, or all is lost. */
    async add(
      head: TarHead,
      { size, pieces }: { readonly size: number; readonly pieces: Iterable<Buffer> },
    ): Promise<void> {
      await put(tarHead(head, size))
      for (const piece of pieces) await put(piece)
      await put(tarPadding(size))
    },
    async finish(first: TarEntry): Promise<Buffer> {
      await put(tarEnd)
      await drain()
      compressor.end()
      await ended
      const opening = packTar([first]).subarray(0, -tarEnd.length)
      return Buffer.concat([await promisify(gzip)(opening), ...compressed])
    },
    discard: () => compressor.destroy(),
  }
}
