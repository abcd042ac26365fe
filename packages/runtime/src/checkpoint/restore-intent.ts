import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { discard, writeFileAtomic } from '../files/index.ts'

/**
 * The directories in which a restore that is under way works. A kill can leave those that it makes or empties without a
 * file, and then nothing else tells that they are not the agent's own: the next restore, wherever it goes, takes them
 * over. It can also leave an unfinished file, which the next start removes.
 */
export interface RestoreIntent {
  /** None when there is no restore to take over, or when it cannot be read: at worst an empty directory stays. */
  read(): readonly string[]
  /** Rejects with the system's error. */
  write(directories: readonly string[]): Promise<void>
  clear(): void
}

export function createRestoreIntent(gitDir: string): RestoreIntent {
  const path = join(gitDir, 'weave-restore.json')
  return {
    read() {
      try {
        const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
        return Array.isArray(value) ? value.filter(item => typeof item === 'string') : []
      } catch {
        return []
      }
    },
    write: directories => writeFileAtomic(path, JSON.stringify(directories)),
    clear: () => discard(path),
  }
}
