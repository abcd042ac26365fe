import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { removeTree } from '../files/index.ts'

/**
 * A whole execution that is being made lies beside its place until the rename that makes it one. What a kill leaves there is
 * no execution, and nobody's.
 */
export function partOf(dir: string): string {
  return join(dirname(dir), `.${basename(dir)}.part`)
}

export function isPart(name: string): boolean {
  return name.startsWith('.') && name.endsWith('.part')
}

/** Long after the last of its makers can be at work. */
const oldEnough = 86_400_000

/** Removes those that nobody has worked on for a day. Returns their names; rejects with the system's error. */
export async function removeOldParts(executionBaseDir: string, now: Date): Promise<readonly string[]> {
  const names = (await readdir(executionBaseDir).catch(() => [])).filter(isPart)
  const removed: string[] = []
  for (const name of names) {
    const path = join(executionBaseDir, name)
    const stats = await stat(path).catch(() => undefined)
    if (!stats?.isDirectory() || now.getTime() - stats.mtimeMs < oldEnough) continue
    await removeTree(path)
    removed.push(name)
  }
  return removed
}
