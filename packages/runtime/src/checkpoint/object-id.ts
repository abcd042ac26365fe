import { createHash } from 'node:crypto'
import type { LargeFile } from '../files/index.ts'

export type ObjectType = 'commit' | 'tree' | 'blob'

/** In hexadecimal digits, as git shows it. */
export function objectId(type: ObjectType, content: Uint8Array): string {
  return createHash('sha1').update(`${type} ${content.length}\0`).update(content).digest('hex')
}

/** Of a blob with the content of a large file. */
export async function blobIdOf(file: LargeFile, signal?: AbortSignal): Promise<string> {
  const hash = createHash('sha1').update(`blob ${file.stats.size}\0`)
  for await (const chunk of file.chunks(signal)) hash.update(chunk)
  return hash.digest('hex')
}

/** The same with one character per byte: half as long, and ready for a tree. */
export function binaryId(oid: string): string {
  return Buffer.from(oid, 'hex').toString('latin1')
}

export function hexId(id: string): string {
  return Buffer.from(id, 'latin1').toString('hex')
}
