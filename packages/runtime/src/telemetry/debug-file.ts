import { appendFile, stat, truncate } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ensureDir } from '../files/index.ts'

/** A file that is larger begins anew. */
const largest = 4 << 20

/** Adds a line, for the owner's eyes only. Rejects with the system's error. */
export async function appendDebugLine(file: string, line: string): Promise<void> {
  await ensureDir(dirname(file))
  const size = await stat(file).then(
    found => found.size,
    () => 0,
  )
  if (size > largest) await truncate(file)
  await appendFile(file, `${line}\n`, { mode: 0o600 })
}
