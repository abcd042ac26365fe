import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { removeTree } from '../files/index.ts'
import { createId, isAlive } from '../kit/index.ts'

/** A name for something unfinished that says who is at it: `<prefix>-<pid>-<id>`. */
export function unfinishedName(prefix: string): string {
  return `${prefix}-${process.pid}-${createId('part')}`
}

/** Whether a name was made by `unfinishedName` with this prefix. */
export function isUnfinished(name: string, prefix: string): boolean {
  return ownerOf(name, prefix) !== undefined
}

/**
 * Removes what processes left unfinished that no longer run. Never rejects: what cannot be removed is in nobody's way.
 */
export async function sweepLeftovers(dir: string, prefix: string): Promise<void> {
  for (const name of await readdir(dir).catch(() => [])) {
    const pid = ownerOf(name, prefix)
    if (pid !== undefined && !isAlive(pid)) await removeTree(join(dir, name)).catch(() => undefined)
  }
}

function ownerOf(name: string, prefix: string): number | undefined {
  if (!name.startsWith(`${prefix}-`)) return undefined
  const digits = /^(\d+)-part_/.exec(name.slice(prefix.length + 1))?.[1]
  return digits === undefined ? undefined : Number(digits)
}
