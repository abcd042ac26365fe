import { type Dirent, readdirSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import { createMatcher } from '@weave/runtime'

export function isGlob(word: string): boolean {
  return /[*?[]/.test(word)
}

export interface GlobWish {
  readonly workingDirectory: string
  /** Of what the glob selects; what is not wanted is looked into. */
  readonly isWanted: (path: string, entry: Dirent) => boolean
}

export interface Matching {
  /** As the glob names them: relative when it is. */
  readonly paths: readonly string[]
  /** There is so much there that not all of it was looked at. */
  readonly isCut: boolean
}

const mostEntries = 1_000_000
const skipped: ReadonlySet<string> = new Set(['node_modules', '.git'])

/** What a glob selects, in the order of names. Follows no link. */
export function matching(glob: string, { workingDirectory, isWanted }: GlobWish): Matching {
  const parts = glob.split('/')
  const start = parts.findIndex(isGlob)
  const root = start === 1 && glob.startsWith('/') ? '/' : parts.slice(0, start).join('/')
  const pattern = parts.slice(start)
  const matcher = createMatcher([`/${pattern.join('/')}`])
  if (!matcher.ok) return { paths: [], isCut: false }
  const base = resolve(workingDirectory, root)
  const paths: string[] = []
  let left = mostEntries
  // Below what is selected all is, by the rules of the matcher; a glob means that only when it ends in `**`.
  const reachesDown = glob.endsWith('**')
  const deepest = pattern.includes('**') ? Number.POSITIVE_INFINITY : pattern.length
  const visit = (directory: string, isBelow: boolean, depth: number): void => {
    for (const entry of entriesOf(directory)) {
      if (left-- <= 0) return
      const path = join(directory, entry.name)
      const below = relative(base, path).split(sep).join('/')
      const isMatch = matcher.matches(below, entry.isDirectory())
      if (isMatch && (reachesDown || !isBelow) && isWanted(path, entry)) {
        paths.push(join(root, below))
        continue
      }
      if (entry.isDirectory() && !skipped.has(entry.name) && depth < deepest) visit(path, isMatch, depth + 1)
    }
  }
  visit(base, false, 1)
  return { paths, isCut: left < 0 }
}

function entriesOf(directory: string) {
  try {
    return readdirSync(directory, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch {
    return []
  }
}
