import { extname } from 'node:path'
import { cutToBytes } from '../files/index.ts'

/** Specification 2.4 and 8: at most so many conflicts per file are renamed. */
export const mostConflicts = 100

/** The names of one directory, as far as conflicts are concerned. */
export interface ConflictNames {
  /** The next name `file_<counter>_<timestamp>.<ext>` to try, with the lowest counter not in use; none beyond the limit. */
  next(name: string, now: Date): string | undefined
}

/**
 * Counters are found from the names that are there, whatever their timestamps, so that the limit counts the copies of a
 * file that the directory holds, and removing old ones makes room again.
 */
export function createConflictNames(present: Iterable<string>): ConflictNames {
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
  return {
    next(name, now) {
      const { stem, extension } = partsOf(name)
      const counters = usedBy(`${stem}/${extension}`)
      for (let counter = 1; counter <= mostConflicts; counter++) {
        if (counters.has(counter)) continue
        counters.add(counter)
        return `${stem}_${counter}_${stampOf(now)}${extension}`
      }
      return undefined
    },
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
