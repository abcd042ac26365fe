import { realpath } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative, sep } from 'node:path'

/**
 * Of the given absolute paths those that lie below a directory, relative to it and with `/`. Links on the way are
 * followed on both sides; the paths need not exist. The directory itself and what is above it do not count.
 */
export async function waysBelow(root: string, paths: readonly string[]): Promise<readonly string[]> {
  const real = await realpathAsFarAs(root)
  const ways = await Promise.all(paths.map(async path => relative(real, await realpathAsFarAs(path))))
  return ways.filter(isBelow).map(way => way.split(sep).join('/'))
}

/** Whether a path leads from a directory into it, and not out of it or to itself. */
function isBelow(way: string): boolean {
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

async function realpathAsFarAs(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : join(await realpathAsFarAs(parent), relative(parent, path))
  }
}
