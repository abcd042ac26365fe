import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join, relative, resolve, sep } from 'node:path'
import { createMatcher } from '@weave/runtime'

export type HankWords =
  | { readonly ok: true; readonly hanks: readonly string[]; readonly data?: string | undefined }
  | { readonly ok: false; readonly usage: string }

/**
 * Which of the words are hanks: all of them, globs filled in; but of two words the second is the data when it is no hank,
 * as it is for a run. `data`: what `--data` names, and then every word is a hank.
 */
export function hankWords(
  words: readonly string[],
  { data, workingDirectory }: { readonly data?: string | undefined; readonly workingDirectory: string },
): HankWords {
  const [first, second] = words
  if (first !== undefined && second !== undefined && words.length === 2 && data === undefined) {
    const at = resolve(workingDirectory, second)
    if (!isGlob(first) && !isGlob(second) && !isHank(at)) return { ok: true, hanks: [first], data: second }
  }
  const found = words.map(word => ({ word, hanks: isGlob(word) ? matching(word, workingDirectory) : [word] }))
  const nothing = found.find(({ hanks }) => hanks.length === 0)
  if (nothing) return { ok: false, usage: `No hank matches ${nothing.word}.` }
  return { ok: true, hanks: [...new Set(found.flatMap(({ hanks }) => hanks))], data }
}

function isGlob(word: string): boolean {
  return /[*?[]/.test(word)
}

const hankNames: ReadonlySet<string> = new Set(['hank.json', 'strand.json'])

/** A directory with a hank in it, a file that is called like one, or one that reads like one. */
function isHank(path: string): boolean {
  if (isFile(join(path, 'hank.json'))) return true
  if (hankNames.has(basename(path))) return true
  return path.endsWith('.json') && looksLikeHank(path)
}

const longestLook = 10 << 20

function looksLikeHank(path: string): boolean {
  try {
    if (statSync(path).size > longestLook) return false
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return typeof value === 'object' && value !== null && 'hank' in value && Array.isArray(value.hank)
  } catch {
    return false
  }
}

const mostEntries = 100_000
const skipped: ReadonlySet<string> = new Set(['node_modules', '.git'])

/** The files and the directories with a hank that a glob selects, in the order of their names. Follows no link. */
function matching(glob: string, workingDirectory: string): readonly string[] {
  const parts = glob.split('/')
  const start = parts.findIndex(isGlob)
  const root = start === 1 && glob.startsWith('/') ? '/' : parts.slice(0, start).join('/')
  const matcher = createMatcher([`/${parts.slice(start).join('/')}`])
  if (!matcher.ok) return []
  const base = resolve(workingDirectory, root)
  const found: string[] = []
  let left = mostEntries
  // Below what is selected all is, by the rules of the matcher; a glob means that only when it ends in `**`.
  const reachesDown = glob.endsWith('**')
  const visit = (directory: string, isBelow: boolean): void => {
    for (const entry of entriesOf(directory)) {
      if (left-- <= 0) return
      const path = join(directory, entry.name)
      const below = relative(base, path).split(sep).join('/')
      const isMatch = matcher.matches(below, entry.isDirectory())
      const isMeant = isMatch && (reachesDown || !isBelow)
      if (isMeant && (entry.isFile() ? isHank(path) : isFile(join(path, 'hank.json')))) {
        found.push(join(root, below))
        continue
      }
      if (entry.isDirectory() && !skipped.has(entry.name)) visit(path, isMatch)
    }
  }
  visit(base, false)
  return found
}

function entriesOf(directory: string) {
  try {
    return readdirSync(directory, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch {
    return []
  }
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile()
  } catch {
    return false
  }
}
