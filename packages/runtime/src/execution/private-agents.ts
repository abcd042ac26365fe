import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { walk } from '../files/index.ts'
import type { ExecutionLayout } from '../workspace/index.ts'

/**
 * Takes from others what the agent programs left open to them in their own folders. Nobody but the owner ever gets there,
 * because the folder above is private from birth; but a copy of the execution may lie elsewhere. Their umask cannot be
 * narrower from the beginning: with it they also make the files of the workspace. Never rejects; what cannot be changed
 * is left.
 */
export async function tightenAgents({ agents }: ExecutionLayout): Promise<void> {
  const limits = { maxEntries: 100_000, maxDepth: 50 }
  for await (const item of walk(agents, limits)) {
    if (item.kind !== 'entry') continue
    const { stats, path } = item
    const isOurs = stats.isFile() || stats.isDirectory()
    if (isOurs && (stats.mode & 0o077) !== 0)
      await tighten(join(agents, path), stats.mode).catch(() => undefined)
  }
}

/** By its descriptor: a link that has taken its place is not followed. */
async function tighten(path: string, mode: number): Promise<void> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    await file.chmod(mode & 0o700)
  } finally {
    await file.close()
  }
}
