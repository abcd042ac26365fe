import { createHash } from 'node:crypto'
import type { Stats } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { walk, waysBelow } from '../files/index.ts'
import { type Clock, errorCode, type Result } from '../kit/index.ts'

export interface DataHashOptions {
  /** A file or a directory; the path itself may be a link. */
  readonly path: string
  /** `dataHashTimeLimit`, in milliseconds. */
  readonly timeLimit: number
  /** What to do when the time runs out, for people. */
  readonly timeAdvice?: string
  readonly clock: Clock
  /** Absolute paths that do not count as data, such as `executionBaseDir`: a run changes them. */
  readonly exclude?: readonly string[]
  readonly maxEntries?: number
}

export type DataHashResult = Result<{
  /** 64 hex digits, behind `partial:` when not everything was hashed. */
  readonly hash: string
  readonly partial: boolean
  /** For people, whole sentences. */
  readonly warnings: readonly string[]
}>

const partialPrefix = 'partial:'
const maxDepth = 256
const raiseLimit = 'Raise dataHashTimeLimit to look at all of it.'

/** Of a run without data. Not that of an empty directory, whose list of lines is empty. */
export const noDataHash = digestOf(['none:::'])

/**
 * SHA-256 over the sorted lines `type:relative path:size:mtime in seconds` of all entries. Directories count with size
 * and time 0: theirs change with every file that comes and goes, and say nothing that the files do not. Contents are not
 * read and links not followed.
 *
 * When the time is up no further directory is entered; those already entered are listed to their end, so that a partial
 * hash leaves out whole directories. Never rejects.
 */
export async function hashData(options: DataHashOptions): Promise<DataHashResult> {
  try {
    const stats = await stat(options.path)
    if (stats.isFile()) return whole([lineOf(basename(options.path), stats)])
    if (stats.isDirectory()) return await hashDirectory(options)
    const message = `The data ${options.path} is neither a file nor a directory. ${correctPath}`
    return { ok: false, message }
  } catch (error) {
    return { ok: false, message: missingText(options.path, errorCode(error) ?? String(error)) }
  }
}

export function isPartial(hash: string): boolean {
  return hash.startsWith(partialPrefix)
}

/** Six hex digits, for names. */
export function shortHash(hash: string): string {
  return hash.slice(hash.lastIndexOf(':') + 1).slice(0, 6)
}

async function hashDirectory(options: DataHashOptions): Promise<DataHashResult> {
  const { path, timeLimit, clock, exclude = [], maxEntries = 1_000_000 } = options
  const root = await realpath(path)
  const excluded = new Set(await waysBelow(root, exclude))
  const deadline = clock.monotonic() + timeLimit
  const lines: string[] = []
  const unreadable: string[] = []
  let leftOut = 0
  let capped: string | undefined
  const skip = (entry: string, stats: Stats): boolean => {
    if (excluded.has(entry)) return true
    const tooLate = stats.isDirectory() && clock.monotonic() >= deadline
    if (tooLate) leftOut++
    return tooLate
  }
  for await (const item of walk(root, { maxEntries, maxDepth, skip })) {
    if (item.kind === 'capped') capped = item.cap
    else if (item.kind === 'entry') lines.push(lineOf(item.path, item.stats))
    else if (item.path === '') return { ok: false, message: missingText(path, item.code) }
    else {
      unreadable.push(item.path)
      lines.push(`unreadable:${item.path}:0:0`)
    }
  }
  const warnings = [
    ...(leftOut > 0 ? [timeText(options, leftOut)] : []),
    ...(capped === undefined ? [] : [cappedText(path, capped)]),
    ...(unreadable.length > 0 ? [unreadableText(path, unreadable)] : []),
  ]
  const partial = leftOut > 0 || capped !== undefined
  return { ...whole(lines, partial), warnings }
}

function whole(lines: string[], partial = false): Extract<DataHashResult, { ok: true }> {
  const digest = digestOf(lines)
  return { ok: true, hash: partial ? `${partialPrefix}${digest}` : digest, partial, warnings: [] }
}

function digestOf(lines: readonly string[]): string {
  return createHash('sha256').update(lines.toSorted().join('\n')).digest('hex')
}

function lineOf(path: string, stats: Stats): string {
  if (stats.isDirectory()) return `directory:${path}:0:0`
  const type = stats.isFile() ? 'file' : stats.isSymbolicLink() ? 'link' : 'other'
  return `${type}:${path}:${stats.size}:${Math.floor(stats.mtimeMs / 1000)}`
}

const correctPath = 'Correct the path, or leave it out to run without data.'

function missingText(path: string, reason: string): string {
  if (reason === 'ENOENT' || reason === 'ENOTDIR') return `The data ${path} does not exist. ${correctPath}`
  return `The data ${path} cannot be read (${reason}). ${correctPath}`
}

function timeText({ path, timeLimit, timeAdvice = raiseLimit }: DataHashOptions, leftOut: number): string {
  const what = leftOut === 1 ? '1 directory was' : `${leftOut} directories were`
  return `Looking through the data ${path} took longer than ${timeLimit} ms, so ${what} left out and changes there go unnoticed. ${timeAdvice}`
}

function cappedText(path: string, cap: string): string {
  const what = cap === 'depth' ? 'is nested too deeply' : 'has too many entries'
  return `The data ${path} ${what} to look at all of it; changes in the rest go unnoticed.`
}

function unreadableText(path: string, entries: readonly string[]): string {
  const more = entries.length > 1 ? ` and ${entries.length - 1} more` : ''
  return `In the data ${path} some entries cannot be read: ${entries[0]}${more}.`
}
