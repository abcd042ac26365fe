import { setImmediate } from 'node:timers/promises'
import { createTreeReader, isSameState } from '../files/index.ts'
import { largestContent, sha256Of } from './content.ts'
import type { EmittedFiles } from './emitted-files.ts'

export interface FingerprintOptions {
  readonly agentRoot: string
  readonly emitted: EmittedFiles
  readonly signal: AbortSignal
}

/** About a tenth of a second of reading, once in the life of a watch. */
const mostFiles = 2_000
const mostBytes = 16 * 1024 * 1024
const filesPerTurn = 32

/**
 * Reads the content of files that were adopted without reading them, so that writing the same content again is not
 * emitted. Only so many and so much of them, over all calls; large files never. Rejects only with the reason of the signal.
 */
export function createFingerprinter({ agentRoot, emitted, signal }: FingerprintOptions) {
  let filesLeft = mostFiles
  let bytesLeft = mostBytes

  return async function fingerprint(paths: readonly string[]): Promise<void> {
    const reader = createTreeReader(agentRoot)
    try {
      for (const path of paths) {
        const file = emitted.get(path)
        if (!file || file.sha256 !== undefined || filesLeft === 0) continue
        const { size } = file.key
        if (size > largestContent || size > bytesLeft) continue
        bytesLeft -= size
        if (--filesLeft % filesPerTurn === 0) await setImmediate()
        signal.throwIfAborted()
        const reading = await reader.read(path).catch(() => undefined)
        if (reading?.kind === 'large') reading.file.close()
        else if (reading?.kind === 'read' && isSameState(reading.stats, file.key))
          file.sha256 = sha256Of(reading.bytes)
      }
    } finally {
      reader.close()
    }
  }
}
