import { createHash } from 'node:crypto'
import { closeSync, openSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { createDeflate } from 'node:zlib'
import {
  createFlags,
  discard,
  ensureDirDurably,
  fsyncLater,
  syncDirectory,
  writeAllSync,
} from '../files/index.ts'
import { createId } from '../kit/index.ts'

interface LooseSource {
  readonly size: number
  /** Yields as many bytes as `size` says, or throws. */
  readonly chunks: AsyncIterable<Buffer>
}

/**
 * A file too large for memory, as an object of its own, without ever holding more than a piece of it. On the disk for
 * good when it resolves with the id. Rejects with the system's error or that of the chunks; then nothing is left.
 */
export async function writeLooseBlob(gitDir: string, { size, chunks }: LooseSource): Promise<string> {
  const objects = join(gitDir, 'objects')
  const temporary = join(objects, createId('tmp_obj'))
  const fd = openSync(temporary, createFlags, 0o400)
  try {
    const oid = await deflateInto(fd, { size, chunks })
    await fsyncLater(fd)
    const folder = join(objects, oid.slice(0, 2))
    await ensureDirDurably(folder)
    renameSync(temporary, join(folder, oid.slice(2)))
    await syncDirectory(folder)
    return oid
  } catch (error) {
    discard(temporary)
    throw error
  } finally {
    closeSync(fd)
  }
}

async function deflateInto(fd: number, { size, chunks }: LooseSource): Promise<string> {
  const head = Buffer.from(`blob ${size}\0`)
  const hash = createHash('sha1').update(head)
  const deflating = createDeflate({ level: 1 })
  const feed = async () => {
    await put(deflating, head)
    for await (const chunk of chunks) {
      hash.update(chunk)
      await put(deflating, chunk)
    }
    deflating.end()
  }
  const drain = async () => {
    const pieces: AsyncIterable<Buffer> = deflating
    for await (const piece of pieces) writeAllSync(fd, piece)
  }
  // The failure of one end destroys the stream, which the other end then complains about: the first says why.
  const failures: unknown[] = []
  const fail = (error: unknown) => {
    failures.push(error)
    deflating.destroy()
  }
  await Promise.all([feed().catch(fail), drain().catch(fail)])
  if (failures.length > 0) throw failures[0]
  return hash.digest('hex')
}

/** Resolves when it has been taken in, so that the chunk may be used again. */
function put(stream: NodeJS.WritableStream, chunk: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(chunk, error => (error ? reject(error) : resolve()))
  })
}
