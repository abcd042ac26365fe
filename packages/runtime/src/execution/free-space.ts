import { statfs } from 'node:fs/promises'
import type { ExecutionLayout } from '../workspace/index.ts'

/** Not every program says why it cannot write. */
export async function isFull(directory: string): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(directory)
    return bavail * bsize < leastSpace
  } catch {
    return false
  }
}

const leastSpace = 1024 * 1024

export function freeSpace({ dir }: ExecutionLayout): string {
  return `There is no space left on the disk of ${dir}: free some, then start again.`
}
