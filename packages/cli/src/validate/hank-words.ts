import { type Dirent, readFileSync, statSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { isGlob, matching } from '../matching.ts'

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
  const found = words.map(word => ({ word, hanks: isGlob(word) ? hanksOf(word, workingDirectory) : [word] }))
  const nothing = found.find(({ hanks }) => hanks.length === 0)
  if (nothing) return { ok: false, usage: `No hank matches ${nothing.word}.` }
  return { ok: true, hanks: [...new Set(found.flatMap(({ hanks }) => hanks))], data }
}

/** The files and the directories with a hank that a glob selects. */
function hanksOf(glob: string, workingDirectory: string): readonly string[] {
  const isWanted = (path: string, entry: Dirent): boolean =>
    entry.isFile() ? isHank(path) : isFile(join(path, 'hank.json'))
  return matching(glob, { workingDirectory, isWanted }).paths
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

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile()
  } catch {
    return false
  }
}
