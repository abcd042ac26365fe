import { createHash } from 'node:crypto'
import { lstatSync, readlinkSync } from 'node:fs'
import { digestOf, openRegular } from './file-copy.ts'

/**
 * SHA-256 of the bytes of a regular file, or of where a link points, byte by byte; undefined for everything else. Opens
 * nothing that could make it wait. Rejects with the system's error or the signal's reason.
 */
export async function contentDigest(path: string, signal?: AbortSignal): Promise<string | undefined> {
  const stats = lstatSync(path)
  if (stats.isSymbolicLink()) return createHash('sha256').update(readlinkSync(path, 'buffer')).digest('hex')
  if (!stats.isFile()) return undefined
  const source = await openRegular(path)
  try {
    return await digestOf(source, signal)
  } finally {
    await source.file.close()
  }
}
