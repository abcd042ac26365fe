import { readdirSync, unlinkSync } from 'node:fs'
import { createHeldDirectories } from './held-directories.ts'
import { temporaryPrefix } from './staged-file.ts'

/** Removes the files that a killed restore was making in these directories. Throws the system's error. */
export function sweepTemporaries(workTree: string, paths: readonly string[]): void {
  const directories = createHeldDirectories(workTree)
  try {
    for (const path of paths) {
      const entered = directories.enter(path)
      if (!entered.ok) continue
      const { at } = entered.directory
      for (const name of readdirSync(at('.'))) if (name.startsWith(temporaryPrefix)) unlinkSync(at(name))
    }
  } finally {
    directories.close()
  }
}
