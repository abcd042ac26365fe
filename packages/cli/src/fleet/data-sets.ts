import { readdirSync, statSync } from 'node:fs'
import { dirname, join, resolve, sep } from 'node:path'
import type { Arguments } from '../parse-arguments.ts'

export type DataSets =
  | { readonly ok: true; readonly paths: readonly string[] }
  | { readonly ok: false; readonly message: string }

/** The data sets that a command line names, in order: paths first, then what fits the patterns, by name. */
export function dataSets({ lists }: Arguments, workingDirectory: string): DataSets {
  const paths: string[] = []
  for (const named of lists?.['submit-data'] ?? []) {
    const path = resolve(workingDirectory, named)
    if (!statSync(path, { throwIfNoEntry: false }))
      return { ok: false, message: `The data ${path} does not exist.` }
    paths.push(path)
  }
  for (const pattern of lists?.['data-glob'] ?? []) {
    const found = fitting(resolve(workingDirectory, pattern))
    if (found.length === 0)
      return {
        ok: false,
        message: `--data-glob ${pattern} fits nothing. Patterns need quotes: '${pattern}'.`,
      }
    paths.push(...found.filter(path => !paths.includes(path)))
  }
  return { ok: true, paths }
}

/** Everything that fits, folder by folder. `*` and `?` stand for letters of a name; what begins with a dot is named or left out. */
function fitting(pattern: string): readonly string[] {
  const [, ...parts] = pattern.split(sep)
  return parts.reduce<readonly string[]>(
    (folders, part) => folders.flatMap(folder => namesIn(folder, part).map(name => join(folder, name))),
    [sep],
  )
}

function namesIn(folder: string, part: string): readonly string[] {
  if (!/[*?]/.test(part)) return statSync(join(folder, part), { throwIfNoEntry: false }) ? [part] : []
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return []
  const letters = part
    .replace(/[\\^$.|+()[\]{}]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.')
  const shape = new RegExp(`^${letters}$`, 's')
  return readdirSync(folder)
    .filter(name => shape.test(name) && (part.startsWith('.') || !name.startsWith('.')))
    .toSorted()
}

/** The folder of a hank, however it was named. */
export function hankFolderOf(path: string): string {
  return path.endsWith('.json') ? dirname(path) : path
}
