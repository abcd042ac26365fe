import { createHash, type Hash } from 'node:crypto'
import { mkdir, open } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { linkOrCopy, openRegularFile } from '../files/index.ts'
import { errorCode } from '../kit/index.ts'
import { blobPath } from './blobs.ts'
import { mostChunkBytes } from './line-reader.ts'
import { listSegments } from './segments.ts'
import type { JournalCut } from './survey.ts'

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
export async function copyPrefix(from: string, to: string, cut: JournalCut): Promise<CopiedPrefix> {
  const digest = createHash('sha256')
  await mkdir(to, { recursive: true, mode: 0o700 })
  const segments = (await listSegments(from)).filter(({ firstSeq }) => firstSeq <= cut.seq)
  for (const segment of segments) {
    const target = join(to, basename(segment.path))
    if (segment === segments.at(-1)) {
      await pass(segment.path, { bytes: cut.end, target }, digest)
      break
    }
    await linkOrCopy(segment.path, target)
    await pass(segment.path, { bytes: Number.POSITIVE_INFINITY, target: undefined }, digest)
  }
  await linkBlobs(join(from, 'blobs'), join(to, 'blobs'), cut.blobs)
  return { events: cut.seq, sha256: digest.digest('hex') }
}

interface Passing {
  readonly bytes: number
  /** Undefined: only the digest hears of it. */
  readonly target: string | undefined
}

async function pass(path: string, { bytes, target }: Passing, digest: Hash): Promise<void> {
  const source = await openRegularFile(path)
  try {
    const copy = target === undefined ? undefined : await open(target, 'wx', 0o600)
    try {
      const buffer = Buffer.allocUnsafeSlow(mostChunkBytes)
      for (let at = 0; at < bytes; ) {
        const { bytesRead } = await source.read(buffer, 0, Math.min(buffer.length, bytes - at), at)
        if (bytesRead === 0) return
        const piece = buffer.subarray(0, bytesRead)
        digest.update(piece)
        await copy?.writeFile(piece)
        at += bytesRead
      }
    } finally {
      await copy?.close()
    }
  } finally {
    await source.close()
  }
}

async function linkBlobs(from: string, to: string, names: readonly string[]): Promise<void> {
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
