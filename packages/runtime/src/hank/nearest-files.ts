import { posix } from 'node:path'
import { walk } from '../files/index.ts'
import { nearestNames } from '../kit/index.ts'

/** Entries of a hank directory that are looked at. More is somebody's repository, and a hint is not worth a wait. */
const limits = { maxEntries: 5_000, maxDepth: 8 } as const
/** Stems shorter than this are all near to each other. */
const shortestStem = 3
const mostNamed = 2

/** An entry of a hank directory, relative to it. */
export interface HankEntry {
  readonly path: string
  readonly isDirectory: boolean
}

/** What lies below a hank directory and may be meant by a reference; no hidden entries, no packages. Never rejects. */
export async function entriesBelow(hankDir: string): Promise<readonly HankEntry[]> {
  const entries: HankEntry[] = []
  const skip = (path: string): boolean => {
    const name = posix.basename(path)
    return name.startsWith('.') || name === 'node_modules' || path === 'hank.json'
  }
  for await (const item of walk(hankDir, { ...limits, skip })) {
    if (item.kind !== 'entry') continue
    const { path, stats } = item
    if (stats.isFile() || stats.isDirectory()) entries.push({ path, isDirectory: stats.isDirectory() })
  }
  return entries
}

/**
 * Those of the paths that somebody who wrote `missing` may have meant, best first: the same name elsewhere, the same name
 * with another ending, then a name that is spelled nearly so, in the same directory before others.
 */
export function nearestPaths(missing: string, paths: readonly string[]): readonly string[] {
  const name = posix.basename(missing).toLowerCase()
  const stem = stemOf(missing)
  const stems = [...new Set(paths.map(stemOf))]
  const alike = stem.length < shortestStem ? [] : nearestNames(stem, stems)
  const rank = (path: string): number => {
    if (posix.basename(path).toLowerCase() === name) return 0
    if (stemOf(path) === stem) return 1
    const at = alike.indexOf(stemOf(path))
    return at === -1 ? Number.POSITIVE_INFINITY : 2 + at
  }
  const isElsewhere = (path: string): number => Number(posix.dirname(path) !== posix.dirname(missing))
  return paths
    .filter(path => path !== missing && rank(path) < Number.POSITIVE_INFINITY)
    .sort((left, right) => rank(left) - rank(right) || isElsewhere(left) - isElsewhere(right))
    .slice(0, mostNamed)
}

function stemOf(path: string): string {
  const name = posix.basename(path)
  return name.slice(0, name.length - posix.extname(name).length).toLowerCase()
}
