import { createHash } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { readRegularFile, writeFileAtomic } from '../../files/index.ts'

/** Bodies, each in one file under its SHA-256. */
export interface BodyStore {
  /** Written once, however often it comes. Rejects with the system's error. */
  put(bytes: Buffer): Promise<string>
  /** Undefined when it is missing or not what it was. */
  get(sha256: string): Promise<Buffer | undefined>
}

export function createBodyStore(directory: string): BodyStore {
  const written = new Set<string>()
  return {
    async put(bytes) {
      const sha256 = sha256Of(bytes)
      if (written.has(sha256)) return sha256
      await mkdir(directory, { recursive: true, mode: 0o700 })
      await writeFileAtomic(join(directory, sha256), bytes)
      written.add(sha256)
      return sha256
    },
    async get(sha256) {
      if (!isSha256(sha256)) return undefined
      const read = await readRegularFile(join(directory, sha256), { maxBytes: largestBody })
      return read.ok && sha256Of(read.bytes) === sha256 ? read.bytes : undefined
    },
  }
}

export function sha256Of(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** Bytes; more is not kept. */
export const largestBody = 64 * 1024 * 1024

function isSha256(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text)
}
