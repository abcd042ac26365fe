import { readdirSync, unlinkSync } from 'node:fs'
import { createDirectoryChain, namesOf } from '../files/index.ts'
import { temporaryPrefix } from './staged-file.ts'

/** Removes the files that a killed restore was making in these directories. Throws the system's error. */
export function sweepTemporaries(workTree: string, paths: readonly string[]): void {
  const directories = createDirectoryChain(workTree)
  try {
    for (const path of paths) {
      const entered = directories.enter(namesOf(path))
      if (!entered.ok) continue
      const { entry } = entered.directory
      for (const name of readdirSync(entry('.')))
        if (name.startsWith(temporaryPrefix)) unlinkSync(entry(name))
    }
  } finally {
    directories.close()
  }
}
