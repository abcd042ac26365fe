import type { ProcessName } from './process-tree.ts'

/**
 * The line that tells a warden everything it has to end; the last whole line counts. It begins with bare group ids, for a
 * shell that can do no better, and goes on behind the semicolon with the names.
 */
export function formatList(names: readonly ProcessName[]): string {
  return `${names.map(({ pid }) => pid).join(' ')};${JSON.stringify(names)}`
}

/** Anything that is not such a line holds no names. Never throws. */
export function parseList(line: string): readonly ProcessName[] {
  try {
    const value: unknown = JSON.parse(line.slice(line.indexOf(';') + 1))
    return Array.isArray(value) ? value.filter(isName) : []
  } catch {
    return []
  }
}

/** The line of a normal end: nothing is to be ended. */
export const farewell = 'end'

function isName(value: unknown): value is ProcessName {
  if (typeof value !== 'object' || value === null || !('pid' in value)) return false
  const startTime = 'startTime' in value ? value.startTime : undefined
  return Number.isSafeInteger(value.pid) && (startTime === undefined || typeof startTime === 'string')
}
