import { lstatSync, realpathSync } from 'node:fs'
import { extname, isAbsolute, join, relative, sep } from 'node:path'
import { cutToBytes } from '../files/index.ts'
import { errorCode, type Result } from '../kit/index.ts'
import { dataSourceName, type SelectedFile } from '../tree/index.ts'

/** At most so many conflicts per file are renamed; the next one fails. */
export const mostConflicts = 100

/** The next name `file_<counter>_<timestamp>.<ext>` to try, with the lowest counter not in use; none beyond the limit. */
export type NextName = (name: string, now: Date) => string | undefined

/**
 * Counters are found from the names that are there, whatever their timestamps, so that the limit counts the copies of a
 * file that the directory holds, and removing old ones makes room again.
 */
export function createConflictNames(present: Iterable<string>): NextName {
  const used = new Map<string, Set<number>>()
  const usedBy = (key: string) => {
    const counters = used.get(key) ?? new Set()
    used.set(key, counters)
    return counters
  }
  for (const name of present) {
    const parsed = conflictPattern.exec(name)
    if (parsed) usedBy(`${parsed[1]}/${parsed[3] ?? ''}`).add(Number(parsed[2]))
  }
  return (name, now) => {
    const { stem, extension } = partsOf(name)
    const counters = usedBy(`${stem}/${extension}`)
    for (let counter = 1; counter <= mostConflicts; counter++) {
      if (counters.has(counter)) continue
      counters.add(counter)
      return `${stem}_${counter}_${stampOf(now)}${extension}`
    }
    return undefined
  }
}

/** Whether `candidate` is a name that a conflict over `name` may have given. */
export function isConflictName(candidate: string, name: string): boolean {
  const parsed = conflictPattern.exec(candidate)
  const { stem, extension } = partsOf(name)
  return parsed !== null && parsed[1] === stem && (parsed[3] ?? '') === extension
}

/** A name with something between its stem and its extension, within what a file system allows. */
export function suffixed(name: string, suffix: string): string {
  const { stem, extension } = partsOf(name)
  return `${stem}${suffix}${extension}`
}

const conflictPattern = /^(.+)_([1-9]\d{0,2})_\d{8}-\d{6}(\.[^.]*)?$/s
const longestName = 255
/** Room for the longest counter and a timestamp. */
const longestSuffix = '_100_20260101-000000'.length

function partsOf(name: string): { readonly stem: string; readonly extension: string } {
  const whole = extname(name)
  // Half a name may follow a dot; then it is no extension worth keeping whole.
  const extension = Buffer.byteLength(whole) > longestName / 2 ? '' : whole
  const stem = name.slice(0, name.length - extension.length)
  return { stem: cutToBytes(stem, longestName - longestSuffix - Buffer.byteLength(extension)), extension }
}

/** `yyyymmdd-hhmmss`, in UTC. */
function stampOf(now: Date): string {
  const digits = now.toISOString().replace(/[-:]/g, '')
  return `${digits.slice(0, 8)}-${digits.slice(9, 15)}`
}

/** A selected file and where its bytes are. */
export interface OutputSource {
  /** Relative to the workspace, and to the output directory. */
  readonly path: string
  /** Below the workspace; another place than `path` when that is a link. */
  readonly source: string
}

/**
 * Where the bytes of selected files come from. A link to a file that lies in the workspace stands for that file, because
 * an output should not depend on the workspace. Everything else that is no regular file is refused: a link out of the
 * workspace or into the data, a broken one, one to a directory (name the directory, or exclude the link with `!`), a
 * FIFO, a device. Throws one error that names them.
 */
export function outputSources(agentRoot: string, files: readonly SelectedFile[]): readonly OutputSource[] {
  const root = realpathSync(agentRoot)
  const sources: OutputSource[] = []
  const refused: string[] = []
  for (const { path, stats } of files) {
    if (stats.isFile()) sources.push({ path, source: path })
    else if (!stats.isSymbolicLink()) refused.push(`${path} is not a regular file`)
    else {
      const end = linkEnd(root, path)
      if (end.ok) sources.push({ path, source: end.source })
      else refused.push(`${path} is a link ${end.message}`)
    }
  }
  if (refused.length > 0) throw new Error(listed(refused))
  return sources
}

/** Not walked for outputs, as for checkpoints: a planted repository runs programs of its author's choice. */
export function isHiddenFromOutputs(path: string): boolean {
  return path === '.git' || path.endsWith('/.git')
}

/** Says what is true now. The file is opened later without following links, so a change meanwhile leads nowhere. */
function linkEnd(root: string, path: string): Result<{ readonly source: string }> {
  const refusal = (message: string) => ({ ok: false, message }) as const
  try {
    const end = realpathSync(join(root, path))
    const way = relative(root, end)
    const components = way.split(sep)
    if (components[0] === '..' || isAbsolute(way)) return refusal('that leaves the agent workspace')
    if (components[0] === dataSourceName || components.includes('.git'))
      return refusal('to what is not for outputs')
    const stats = lstatSync(end)
    if (stats.isFile()) return { ok: true, source: components.join('/') }
    return refusal(stats.isDirectory() ? 'to a directory' : 'to something that is not a regular file')
  } catch (error) {
    return refusal(errorCode(error) === 'ELOOP' ? 'that leads to itself' : 'that leads nowhere')
  }
}

function listed(refused: readonly string[]): string {
  const more = refused.length > mostNamed ? ` and ${refused.length - mostNamed} more` : ''
  return `refused: ${refused.slice(0, mostNamed).join('; ')}${more}`
}

const mostNamed = 10
