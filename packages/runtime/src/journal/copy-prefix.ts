import { createHash, type Hash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { linkOrCopy } from '../files/index.ts'
import { errorCode } from '../kit/index.ts'
import { blobNames, blobPath } from './blobs.ts'
import { lineLength } from './line.ts'
import { readSegment } from './line-reader.ts'
import { listSegments, type Segment } from './segments.ts'

export interface CopiedPrefix {
  /** How many lines were asked for: the `seq` of the last. */
  readonly events: number
  /** Of their bytes. */
  readonly sha256: string
}

/**
 * Begins a journal with the first lines of another, byte for byte, and with the blobs that they name. Full segments and blobs
 * never change and are linked; the last segment is a copy, since it will be written to. `to` must not exist. The other
 * journal may be growing. Rejects with the system's error.
 */
export async function copyPrefix(from: string, to: string, upTo: number): Promise<CopiedPrefix> {
  const digest = createHash('sha256')
  const blobs = new Set<string>()
  await mkdir(to, { recursive: true, mode: 0o700 })
  const segments = await listSegments(from)
  for (const [at, segment] of segments.entries()) {
    if (segment.firstSeq > upTo) break
    const next = segments[at + 1]
    const bytes = await prefixBytes(segment, upTo, blobs)
    const target = join(to, basename(segment.path))
    const isWhole = next !== undefined && next.firstSeq <= upTo
    if (isWhole) await linkOrCopy(segment.path, target)
    await pass(
      segment.path,
      { bytes: isWhole ? undefined : bytes, target: isWhole ? undefined : target },
      digest,
    )
  }
  await linkBlobs(join(from, 'blobs'), join(to, 'blobs'), blobs)
  return { events: upTo, sha256: digest.digest('hex') }
}

/** Where the last wanted line ends; also collects the blobs that lines up to it name. */
async function prefixBytes({ path }: Segment, upTo: number, blobs: Set<string>): Promise<number> {
  let bytes = 0
  for await (const { events } of readSegment(path)) {
    for (const { seq, offset, rest, spilled } of events) {
      if (seq > upTo) return bytes
      bytes = offset + lineLength(rest)
      if (spilled) for (const name of blobNames(rest)) blobs.add(name)
    }
  }
  return bytes
}

interface Passing {
  /** Undefined: all of it. */
  readonly bytes: number | undefined
  /** Undefined: only the digest hears of it. */
  readonly target: string | undefined
}

async function pass(path: string, { bytes, target }: Passing, digest: Hash): Promise<void> {
  if (bytes === 0) return
  const source = createReadStream(path, bytes === undefined ? {} : { end: bytes - 1 })
  const heard = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      digest.update(chunk)
      done(null, target === undefined ? undefined : chunk)
    },
  })
  if (target === undefined) return pipeline(source, heard.resume())
  return pipeline(source, heard, createWriteStream(target, { flags: 'wx', mode: 0o600 }))
}

async function linkBlobs(from: string, to: string, names: ReadonlySet<string>): Promise<void> {
  const made = new Set<string>()
  for (const name of names) {
    const target = blobPath(to, name)
    const folder = dirname(target)
    if (!made.has(folder)) await mkdir(folder, { recursive: true, mode: 0o700 })
    made.add(folder)
    try {
      await linkOrCopy(blobPath(from, name), target)
    } catch (error) {
      // A blob that is gone leaves its field empty in both.
      if (errorCode(error) !== 'ENOENT') throw error
    }
  }
}
