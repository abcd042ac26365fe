import { readFileSync, statSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import type { DataSet } from 'weave-fleet'
import { isGlob, matching } from '../matching.ts'
import type { Arguments } from '../parse-arguments.ts'
import { readMatrix } from './matrix.ts'

export type DataSets =
  | { readonly ok: true; readonly sets: readonly DataSet[] }
  | { readonly ok: false; readonly message: string }

/** The data sets that a command line names, in order: paths first, then what fits the patterns, by name, then the matrix. */
export function dataSets({ lists, texts }: Arguments, workingDirectory: string): DataSets {
  const paths = new Set<string>()
  let twin: string | undefined
  for (const named of lists?.['submit-data'] ?? []) {
    const path = resolve(workingDirectory, named)
    if (!isThere(path)) return { ok: false, message: `The data ${path} does not exist.` }
    if (paths.has(path)) twin = path
    paths.add(path)
  }
  if (twin !== undefined) return { ok: false, message: `${twin} is named twice. Name each data set once.` }
  for (const pattern of lists?.['data-glob'] ?? []) {
    const found = fitting(pattern, workingDirectory)
    if (!found.ok) return found
    for (const path of found.paths) paths.add(path)
  }
  const sets = [...paths].map(path => ({ path }))
  const { matrix } = texts
  if (matrix === undefined) return { ok: true, sets }
  const read = matrixOf(matrix, workingDirectory)
  return read.ok ? { ok: true, sets: [...sets, ...read.sets] } : read
}

type Fitting =
  | { readonly ok: true; readonly paths: readonly string[] }
  | { readonly ok: false; readonly message: string }

/** Everything that fits. What begins with a dot is named, or left out. */
function fitting(pattern: string, workingDirectory: string): Fitting {
  const meansHidden = basename(pattern).startsWith('.')
  const isWanted = (path: string): boolean => meansHidden || !basename(path).startsWith('.')
  const whole = resolve(workingDirectory, pattern)
  const { paths, isCut } = isGlob(pattern)
    ? matching(pattern, { workingDirectory, isWanted })
    : { paths: isThere(whole) ? [whole] : [], isCut: false }
  if (isCut)
    return {
      ok: false,
      message: `--data-glob ${pattern}: there is too much to look through. Name a folder before the first star.`,
    }
  if (paths.length === 0)
    return { ok: false, message: `--data-glob ${pattern} fits nothing. Patterns need quotes: '${pattern}'.` }
  return { ok: true, paths: paths.map(path => resolve(workingDirectory, path)) }
}

/** `-` is what comes through a pipe. Paths in it are meant from where it lies. */
function matrixOf(named: string, workingDirectory: string): DataSets {
  const file = named === '-' ? 0 : resolve(workingDirectory, named)
  let text = ''
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    return {
      ok: false,
      message: `--matrix ${named}: ${error instanceof Error ? error.message : String(error)}`,
    }
  }
  const base = typeof file === 'string' ? dirname(file) : workingDirectory
  const read = readMatrix(text)
  if (!read.ok) return { ok: false, message: `--matrix ${named}: ${read.message}` }
  const sets = read.rows.map(row => ({ ...row, path: resolve(base, row.path) }))
  const missing = sets.find(({ path }) => !isThere(path))
  return missing ? { ok: false, message: `The data ${missing.path} does not exist.` } : { ok: true, sets }
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined
}

/** The folder of a hank, however it was named. */
export function hankFolderOf(path: string): string {
  return path.endsWith('.json') ? dirname(path) : path
}
